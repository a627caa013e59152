// SPDX-License-Identifier: Apache-2.0
// The code of a stand-in for a library (machine/standin.h), which is copied into the files that
// standin/ writes: it stands at any address and knows of places outside only what the head says.
//
// What a function's entry jumps to at first pushes the function's number and comes to `enter`. All
// registers that arguments travel in are kept, those of vectors and the x87 included: what is called
// may take anything. Its result for `resolve` is the address of the real function, which is jumped to as
// if the caller had called it.

	.section .rodata.standin, "a", @progbits
	.balign 32

// Distances from the head, of what the writer of the file places; zero where there is none.
	.globl machine_standin_code
	.type machine_standin_code, @object
machine_standin_code:
head:
got:		.quad 0		// the GOT: two words of the dynamic linker, then IMPORTS slots
slots:		.quad 0		// by function: the distance of what its entry jumps to
handle:		.quad 0		// what dlopen() returned; 0: not opened yet
functions:	.quad 0		// by function: where in the strings its name and its version are
strings:	.quad 0		// .dynstr
path:		.quad 0		// of the real library
folder:		.quad 0		// "LD_LIBRARY_PATH=FOLDER", to be taken from the environment
count:		.quad 0		// of functions; no distance

	// Place of a field in %reg.
	.macro place field, reg
	leaq head(%rip), \reg
	addq \field(%rip), \reg
	.endm

	// Call import number N: through its slot of the GOT, lazily bound as a PLT would. The frame keeps
	// the stack aligned.
	.macro import number
	place got, %r11
	call *(24 + 8 * \number)(%r11)
	.endm
	.set IMPORT_DLOPEN, 0
	.set IMPORT_DLSYM, 1
	.set IMPORT_DLVSYM, 2
	.set IMPORT_DLERROR, 3
	.set IMPORT_ERRNO, 4
	.set IMPORT_DLCLOSE, 5

// ---- Binding the imports: what their slots lead to at first --------------------------------------

	.balign 16
lazy:
	.irp number, 0, 1, 2, 3, 4, 5
	pushq $\number
	jmp bind
	.balign 16
	.endr
bind:	// as the first entry of a PLT
	place got, %r11
	pushq 8(%r11)
	jmp *16(%r11)

// ---- The first call of a function ---------------------------------------------------------------

	// Stack: the function's number, the caller's return address. CFA: %rsp + 16.
	.balign 16
enter:
	pushq %rbp
	movq %rsp, %rbp
	pushq %rax	// -8: of variadic functions, the number of vector registers
	pushq %rcx
	pushq %rdx
	pushq %rsi
	pushq %rdi
	pushq %r8
	pushq %r9
	pushq %r10	// -64: the static chain
	pushq %rbx	// -72
	pushq %r12	// -80
	movl $1, %eax
	xorl %ecx, %ecx
	cpuid
	movl $512, %r12d
	btl $27, %ecx		// OSXSAVE
	jnc 1f
	movl $0xd, %eax
	xorl %ecx, %ecx
	cpuid
	movl %ebx, %r12d	// bytes of all that is enabled
	jmp 2f
1:	xorl %ebx, %ebx
2:	subq %r12, %rsp
	andq $-64, %rsp
	testl %ebx, %ebx
	jz 3f
	// The header of the area has to be 0; bits 63 to 0 of what is saved: x87, SSE, AVX, AVX-512, APX.
	xorl %eax, %eax
	leaq 512(%rsp), %rdi
	movl $8, %ecx
	rep stosq
	movl $0x800e7, %eax
	xorl %edx, %edx
	xsave64 (%rsp)
	jmp 4f
3:	fxsave64 (%rsp)
4:	movq 8(%rbp), %rdi
	call resolve
	movq %rax, %r11
	testl %ebx, %ebx
	jz 5f
	movl $0x800e7, %eax
	xorl %edx, %edx
	xrstor64 (%rsp)
	jmp 6f
5:	fxrstor64 (%rsp)
6:	leaq -80(%rbp), %rsp
	popq %r12
	popq %rbx
	popq %r10
	popq %r9
	popq %r8
	popq %rdi
	popq %rsi
	popq %rdx
	popq %rcx
	popq %rax
	popq %rbp
	addq $8, %rsp
	jmp *%r11

// ---- Finding the real function ------------------------------------------------------------------

	// %rdi: the function's number. Returns its address, and leaves it in its slot. Other threads may
	// do the same at the same time: all find the same. Keeps %rbx, %r12.
resolve:
	pushq %rbx
	pushq %r12
	pushq %r13
	pushq %r14
	pushq %r15	// now aligned to 16
	movq %rdi, %rbx
	import IMPORT_ERRNO
	movq %rax, %r14
	movl (%rax), %r15d
	place handle, %r13
	movq (%r13), %rdi
	testq %rdi, %rdi
	jnz 1f
	place path, %rdi
	movl $0x101, %esi	// RTLD_LAZY | RTLD_GLOBAL
	import IMPORT_DLOPEN
	testq %rax, %rax
	jz fail
	movq %rax, (%r13)
	movq %rax, %rdi
1:	place functions, %r8
	movl (%r8, %rbx, 8), %esi
	movl 4(%r8, %rbx, 8), %edx
	place strings, %r9
	addq %r9, %rsi
	testl %edx, %edx
	jz 2f
	addq %r9, %rdx
	import IMPORT_DLVSYM
	jmp 3f
2:	import IMPORT_DLSYM
3:	testq %rax, %rax
	jz fail
	place slots, %r8
	leaq head(%rip), %r9
	movq %rax, %rcx
	subq %r9, %rcx
	movq %rcx, (%r8, %rbx, 8)
	movl %r15d, (%r14)
	popq %r15
	popq %r14
	popq %r13
	popq %r12
	popq %rbx
	ret

	// Say why, and end the process: the function has no way to fail that its caller would know.
fail:
	leaq said(%rip), %rsi
	movl $said_end - said, %edx
	call write
	import IMPORT_DLERROR
	testq %rax, %rax
	jz 1f
	movq %rax, %rsi
	movq %rax, %rdx
2:	cmpb $0, (%rdx)
	je 3f
	incq %rdx
	jmp 2b
3:	subq %rsi, %rdx
	call write
1:	leaq line(%rip), %rsi
	movl $1, %edx
	call write
	movl $127, %edi
	movl $231, %eax		// exit_group
	syscall
	hlt
write:
	movl $2, %edi
	movl $1, %eax
	syscall
	ret
fail_end:
said:	.ascii "elfault: the library that a stand-in stands for cannot be used: "
said_end:
line:	.ascii "\n"

// ---- Beginning and end --------------------------------------------------------------------------

	// DT_INIT, of (argc, argv, envp).
	.balign 16
start:
	pushq %rbx
	movq %rdx, %rbx
	cmpq $0, folder(%rip)
	je 1f
	call leave_environment
1:	leaq asked(%rip), %rsi
2:	movq (%rbx), %rdi
	testq %rdi, %rdi
	jz 9f
	xorl %ecx, %ecx
3:	movb (%rsi, %rcx), %al
	cmpb (%rdi, %rcx), %al
	jne 4f
	incq %rcx
	testb %al, %al
	jnz 3b
	// All is opened now, as tests want it.
	xorl %ebx, %ebx
5:	cmpq count(%rip), %rbx
	jae 9f
	movq %rbx, %rdi
	call resolve
	incq %rbx
	jmp 5b
4:	addq $8, %rbx
	jmp 2b
9:	popq %rbx
	ret
asked:	.asciz "ELFAULT_STANDIN=open"

	// Take the folder, which the launcher set, out of the environment %rdx that programs which this one
	// starts inherit. The string is changed where it is, so that copies of the array have it, too; a
	// variable that was not there before goes.
	.balign 16
leave_environment:
	place folder, %rsi
	movq %rdx, %r8
1:	movq (%r8), %rdi
	testq %rdi, %rdi
	jz 9f
	xorl %ecx, %ecx
2:	movzbl (%rsi, %rcx), %eax
	testb %al, %al
	jz 3f
	cmpb (%rdi, %rcx), %al
	jne 4f
	incq %rcx
	jmp 2b
4:	addq $8, %r8
	jmp 1b
3:	movzbl (%rdi, %rcx), %eax
	testb %al, %al
	jz 6f
	cmpb $':', %al
	jne 4b
	// "LD_LIBRARY_PATH=FOLDER:REST": move the rest to behind the "=".
	leaq 1(%rdi, %rcx), %r9
	addq $16, %rdi
5:	movb (%r9), %al
	movb %al, (%rdi)
	incq %r9
	incq %rdi
	testb %al, %al
	jnz 5b
	ret
6:	movq 8(%r8), %rax
	movq %rax, (%r8)
	addq $8, %r8
	testq %rax, %rax
	jnz 6b
9:	ret

	// DT_FINI: what was opened goes as what stands for it goes.
	.balign 16
finish:
	pushq %rax
	place handle, %r8
	movq (%r8), %rdi
	testq %rdi, %rdi
	jz 1f
	movq $0, (%r8)
	import IMPORT_DLCLOSE
1:	popq %rax
	ret
machine_standin_end:
	.size machine_standin_code, . - machine_standin_code

// ---- What the writer of the file asks -----------------------------------------------------------

	.balign 4
	.globl machine_standin_places
	.type machine_standin_places, @object
machine_standin_places:
	.long machine_standin_end - head
	.long lazy - head
	.long bind - head
	.long enter - head
	.long resolve - head
	.long fail_end - head
	.long start - head
	.long leave_environment - head
	.long finish - head
	.size machine_standin_places, . - machine_standin_places

	.section .note.GNU-stack, "", @progbits

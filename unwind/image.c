// SPDX-License-Identifier: Apache-2.0
// Owns the ELF files that unwinding reads. Runs in the child without privilege: files are hostile,
// and are mapped rather than read, because libdw would otherwise read whole debug sections of
// gigabytes; unwindchild.c survives the SIGBUS of a file that is cut meanwhile.
#include "unwind/image.h"

#include "base/arena.h"
#include "base/checked.h"
#include "base/cleanup.h"
#include "base/err.h"
#include "base/hex.h"
#include "base/range.h"
#include "base/strbuf.h"
#include "elfmap/headers/elfheaders.h"
#include "machine/machine.h"

#include <errno.h>
#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>
#include <uthash.h>

enum { BUILD_ID_SHOWN = 64 };

/** Entries of the table of struct images. */
struct image_entry {
	char *key; // path, build-id and id of the file
	struct image image;
	UT_hash_handle hh;
};

static bool unusable(struct image *image, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static bool unusable(struct image *image, const char *format, ...)
{
	char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	free(image->problem);
	image->problem = xstrdup(text);
	return false;
}

/** @kept: a descriptor of the file, or -1 */
static bool open_file(struct image *image, int kept)
{
	struct stat status;

	// Without O_NONBLOCK a FIFO in the place of the file would hold us up for ever.
	image->fd = kept >= 0 ? fcntl(kept, F_DUPFD_CLOEXEC, 0)
			      : open(image->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (image->fd < 0)
		return unusable(image, "%s", err_text(errno));
	if (fstat(image->fd, &status))
		return unusable(image, "%s", err_text(errno));
	if (!S_ISREG(status.st_mode))
		return unusable(image, "not a regular file");

	image->elf = elf_begin(image->fd, ELF_C_READ_MMAP, NULL);
	if (!image->elf)
		return unusable(image, "%s", elf_errmsg(-1));
	return true;
}

/** The vdso is the kernel's and the same for every 64-bit process: take our own. */
static bool open_vdso(struct image *image)
{
	uint8_t *base = (uint8_t *)getauxval(AT_SYSINFO_EHDR); // NOLINT: an address from the kernel
	struct elfheaders headers;

	if (!base || !elfheaders_parse(base, MACHINE_PAGE, &headers))
		return unusable(image, "the kernel gave none to this process");

	const Elf64_Ehdr *header = &headers.header;
	uint64_t size = header->e_shoff + (uint64_t)header->e_shnum * header->e_shentsize;

	for (uint16_t i = 0; i < header->e_phnum; i++) {
		Elf64_Phdr segment = elfheaders_segment(&headers, base + header->e_phoff, i);
		uint64_t end = segment.p_offset + segment.p_filesz;

		if (end > size)
			size = end;
	}
	image->elf = elf_memory((char *)base, size);
	if (!image->elf)
		return unusable(image, "%s", elf_errmsg(-1));
	return true;
}

static bool check_kind(struct image *image)
{
	GElf_Ehdr header;

	image->is_data = elf_kind(image->elf) != ELF_K_ELF;
	if (image->is_data || !gelf_getehdr(image->elf, &header))
		return unusable(image, "not an ELF file");
	if (header.e_type != ET_EXEC && header.e_type != ET_DYN)
		return unusable(image, "neither a program nor a shared object");

	image->is_32bit = gelf_getclass(image->elf) == ELFCLASS32;
	image->entry_vaddr = header.e_entry;
	const struct machine *machine = machine_own(image->is_32bit);

	image->unwinding = machine->unwinding;
	if (!image->unwinding || header.e_machine != machine->elf)
		return unusable(image, "ELF machine %u of class %s cannot be unwound",
				header.e_machine, image->is_32bit ? "32" : "64");
	return true;
}

static void hex_append(struct strbuf *text, const uint8_t *bytes, size_t size)
{
	char hex[2 * BUILD_ID_SHOWN + 1];

	strbuf_puts(text, hex_text(bytes, size < BUILD_ID_SHOWN ? size : BUILD_ID_SHOWN, hex));
}

/** Without a build-id, whatever stat() says has to be what it was. */
static bool check_identity(struct image *image, const struct trace_identity *recorded)
{
	struct trace_identity found = { 0 };
	struct stat status;

	if (fstat(image->fd, &status))
		return unusable(image, "%s", strerror(errno));
	trace_identity_stat(&found, &status);
	if (found.device == recorded->device && found.inode == recorded->inode &&
	    trace_identity_equal(&found, recorded))
		return true;
	return unusable(image, recorded->flags & TRACE_FILE_ELSEWHERE
				       ? "another file was mapped under this path: deleted since, "
					 "or in another root or mount namespace"
				       : "it has changed since recording");
}

static bool check_file(struct image *image, const struct trace_mapping *mapping,
		       const struct trace_identity *recorded)
{
	const void *found = NULL;

	if (image->is_vdso)
		return true;
	if (mapping->build_id_size == 0)
		return !recorded || check_identity(image, recorded);

	ssize_t size = dwelf_elf_gnu_build_id(image->elf, &found);

	if (size == mapping->build_id_size && !memcmp(found, mapping->build_id, (size_t)size))
		return true;

	CLEANUP(strbuf_deinit) struct strbuf ids = { 0 };

	strbuf_puts(&ids, "it has changed since recording: build-id ");
	hex_append(&ids, mapping->build_id, mapping->build_id_size);
	strbuf_puts(&ids, " then, ");
	if (size > 0)
		hex_append(&ids, found, (size_t)size);
	else
		strbuf_puts(&ids, "none");
	strbuf_puts(&ids, " now");
	unusable(image, "%s", strbuf_text(&ids));
	return false;
}

/** DT_INIT and DT_FINI; a file without them, or with a damaged table, has none. */
static void read_dynamic(struct image *image, const GElf_Phdr *segment)
{
	Elf_Data *data = NULL;
	GElf_Dyn entry;

	if (checked_within(segment->p_offset, segment->p_filesz, INT64_MAX))
		data = elf_getdata_rawchunk(image->elf, (int64_t)segment->p_offset,
					    segment->p_filesz, ELF_T_DYN);
	for (int i = 0; data && gelf_getdyn(data, i, &entry) && entry.d_tag != DT_NULL; i++) {
		if (entry.d_tag == DT_INIT)
			image->init_vaddr = entry.d_un.d_ptr;
		if (entry.d_tag == DT_FINI)
			image->fini_vaddr = entry.d_un.d_ptr;
	}
}

/** .gopclntab, which has another name in position independent programs. */
static void read_go(struct image *image)
{
	static const char name[] = ".gopclntab";
	uint64_t text = 0, at = 0, size = 0;
	size_t names, file_size;
	const char *file = elf_rawfile(image->elf, &file_size);
	Elf_Scn *section = NULL;

	if (!file || elf_getshdrstrndx(image->elf, &names))
		return;
	while ((section = elf_nextscn(image->elf, section))) {
		GElf_Shdr header;
		const char *found = gelf_getshdr(section, &header)
					    ? elf_strptr(image->elf, names, header.sh_name)
					    : NULL;
		size_t length = found ? strlen(found) : 0;

		if (found && !strcmp(found, ".text"))
			text = header.sh_addr;
		if (length < sizeof(name) - 1 || header.sh_type != SHT_PROGBITS ||
		    strcmp(found + length - (sizeof(name) - 1), name) != 0 ||
		    !checked_within(header.sh_offset, header.sh_size, file_size))
			continue;
		at = header.sh_offset;
		size = header.sh_size;
	}
	if (size && !image->is_32bit)
		gopclntab_init(&image->go, (const uint8_t *)file + at, size, text);
}

static bool read_segments(struct image *image)
{
	size_t count;

	if (elf_getphdrnum(image->elf, &count))
		return unusable(image, "%s", elf_errmsg(-1));
	for (size_t i = 0; i < count && i < INT32_MAX; i++) {
		GElf_Phdr segment;
		uint64_t end, unused;

		if (!gelf_getphdr(image->elf, (int)i, &segment))
			return unusable(image, "program header %zu: %s", i, elf_errmsg(-1));
		if (segment.p_type == PT_DYNAMIC)
			read_dynamic(image, &segment);
		if (segment.p_type != PT_LOAD)
			continue;
		if (!checked_add(segment.p_vaddr, segment.p_memsz, &end) ||
		    end > UINT64_MAX - MACHINE_PAGE ||
		    !checked_add(segment.p_offset, segment.p_filesz, &unused))
			return unusable(image, "program header %zu: past the end of addresses", i);
		// As libdwfl computes it, whatever p_align is: its bias would be off otherwise.
		if (image->segments.count == 0)
			image->low_vaddr = segment.p_vaddr & -segment.p_align;
		if (align_up(end, MACHINE_PAGE) > image->high_vaddr)
			image->high_vaddr = align_up(end, MACHINE_PAGE);
		vec_push(&image->segments, (struct image_segment){
						   .offset = segment.p_offset,
						   .file_size = segment.p_filesz,
						   .vaddr = segment.p_vaddr,
						   .is_executable = segment.p_flags & PF_X,
					   });
	}
	if (image->segments.count == 0 || image->low_vaddr >= image->high_vaddr)
		return unusable(image, "no usable PT_LOAD");
	return true;
}

const uint8_t *image_code(const struct image *image, uint64_t vaddr, uint64_t *ret_before,
			  uint64_t *ret_after)
{
	size_t file_size;
	const char *file = image->elf ? elf_rawfile(image->elf, &file_size) : NULL;

	if (!file)
		return NULL;
	vec_foreach (segment, &image->segments) {
		uint64_t into = vaddr - segment->vaddr, size = segment->file_size;

		if (!segment->is_executable || vaddr < segment->vaddr ||
		    segment->offset >= file_size)
			continue;
		if (size > file_size - segment->offset)
			size = file_size - segment->offset;
		if (into >= size)
			continue;
		*ret_before = into;
		*ret_after = size - into;
		return (const uint8_t *)file + segment->offset + into;
	}
	return NULL;
}

bool image_read_code(struct image *image, uint64_t vaddr, uint8_t *ret_bytes, size_t size)
{
	uint64_t before, after;
	const uint8_t *code = image_code(image, vaddr, &before, &after);

	if (!code || size > after)
		return false;
	memcpy(ret_bytes, code, size);
	return true;
}

static void image_close(struct image *image)
{
	elf_end(image->elf);
	image->elf = NULL;
	image->go = (struct gopclntab){ 0 };
	if (image->fd >= 0)
		close(image->fd);
	image->fd = -1;
}

struct image *images_find(struct images *images, const struct trace_mapping *mapping)
{
	struct strbuf key = { 0 };
	struct image_entry *entry = NULL;

	strbuf_puts(&key, mapping->path);
	strbuf_putc(&key, '\n');
	hex_append(&key, mapping->build_id, mapping->build_id_size);
	strbuf_printf(&key, "\n%u", mapping->file);
	HASH_FIND_STR(images->by_key, key.text, entry);
	if (entry) {
		strbuf_deinit(&key);
		return &entry->image;
	}

	entry = xcalloc(1, sizeof(*entry));
	entry->key = key.text;
	HASH_ADD_KEYPTR(hh, images->by_key, entry->key, strlen(entry->key), entry);

	struct image *image = &entry->image;
	const struct trace_identity *recorded =
		mapping->file && mapping->file <= images->identity_count
			? &images->identities[mapping->file - 1]
			: NULL;
	int kept = recorded && images->fds ? images->fds[mapping->file - 1] : -1;

	vec_push(&images->list, image);
	image->path = xstrdup(mapping->path);
	image->fd = -1;
	image->is_vdso = !strcmp(mapping->path, "[vdso]");
	if (!(image->is_vdso ? open_vdso(image) : open_file(image, kept)) || !check_kind(image) ||
	    !check_file(image, mapping, recorded) || !read_segments(image))
		image_close(image);
	else if (!image->is_vdso)
		read_go(image);
	return image;
}

void images_deinit(struct images *images)
{
	struct image_entry *entry, *next;

	HASH_ITER (hh, images->by_key, entry, next) {
		// NOLINTNEXTLINE(clang-analyzer-unix.Malloc): freed with the last entry only
		HASH_DEL(images->by_key, entry);
		image_close(&entry->image);
		vec_deinit(&entry->image.segments);
		u64map_deinit(&entry->image.frame_states);
		u64map_deinit(&entry->image.frame_callees);
		vec_deinit(&entry->image.starts);
		vec_deinit(&entry->image.marks);
		free(entry->image.path);
		free(entry->image.problem);
		free(entry->key);
		free(entry);
	}
	vec_deinit(&images->list);
}

/** The PT_LOAD that the mapping shows: an executable one where two share a page of the file. */
static const struct image_segment *segment_at(const struct image *image, uint64_t offset)
{
	const struct image_segment *found = NULL;

	vec_foreach (segment, &image->segments) {
		if (offset < align_down(segment->offset, MACHINE_PAGE) ||
		    offset >= segment->offset + segment->file_size)
			continue;
		if (!found || (segment->is_executable && !found->is_executable))
			found = segment;
	}
	return found;
}

bool image_place(struct image *image, const struct trace_mapping *mapping,
		 struct module *ret_module)
{
	struct module module = {
		.image = image,
		.start = mapping->addr,
		.end = mapping->addr + mapping->size,
	};

	if (image->elf) {
		// The mapped page of the vdso is its first; the kernel records no offset for it.
		uint64_t offset = image->is_vdso ? 0 : mapping->offset;
		const struct image_segment *segment = segment_at(image, offset);

		if (!segment)
			return false;
		// Modulo 2^64: a bias may be negative.
		module.bias = mapping->addr - offset + segment->offset - segment->vaddr;
		module.start = module.bias + image->low_vaddr;
		module.end = module.bias + image->high_vaddr;
	}
	if (module.start >= module.end)
		return false;
	*ret_module = module;
	return true;
}

bool module_has_code_in(const struct module *module, uint64_t start, uint64_t end)
{
	const struct range range = { start, end };

	if (!module->image->elf)
		return range_overlaps(range, (struct range){ module->start, module->end });
	vec_foreach (segment, &module->image->segments) {
		uint64_t code = module->bias + segment->vaddr;

		if (segment->is_executable &&
		    range_overlaps(range, (struct range){ code, code + segment->file_size }))
			return true;
	}
	return false;
}

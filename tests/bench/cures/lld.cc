// SPDX-License-Identifier: Apache-2.0
// ld.lld on the archives that Debian ships: lld's ELF linker alone, as a program.
#include <lld/Common/Driver.h>
#include <llvm/Support/raw_ostream.h>

LLD_HAS_DRIVER(elf)

int main(int argc, char **argv)
{
	std::vector<const char *> arguments(argv, argv + argc);
	return lld::lldMain(arguments, llvm::outs(), llvm::errs(), {{lld::Gnu, &lld::elf::link}})
		.retCode;
}

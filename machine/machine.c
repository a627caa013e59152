// SPDX-License-Identifier: Apache-2.0
#include "machine/processors.h"

#include <elf.h>
#include <string.h>

static const struct machine unknown = { .elf = EM_NONE };

static const struct machine *const processors[] = {
	&machine_x86_64, &machine_i386, &machine_arm64, &machine_arm,
	&machine_riscv,	 &machine_s390, &machine_alpha,
};

enum { PROCESSORS = sizeof(processors) / sizeof(processors[0]) };

const struct machine *machine_of(uint16_t elf)
{
	for (size_t i = 0; i < PROCESSORS; i++)
		if (processors[i]->elf == elf)
			return processors[i];
	return &unknown;
}

const struct machine *machine_named(const char *name)
{
	if (!name || !name[0])
		return &machine_x86_64;
	for (size_t i = 0; i < PROCESSORS; i++)
		if (processors[i]->name && strcmp(processors[i]->name, name) == 0)
			return processors[i];
	return &unknown;
}

const struct machine *machine_own(bool is_32bit)
{
#if defined(__x86_64__)
	return is_32bit ? &machine_i386 : &machine_x86_64;
#elif defined(__aarch64__)
	return is_32bit ? &unknown : &machine_arm64;
#else
	return &unknown;
#endif
}

const char *machine_call(const struct machine *machine, uint32_t number)
{
	return number < machine->call_count ? machine->calls[number] : NULL;
}

uint32_t machine_call_number(const struct machine *machine, const char *name)
{
	for (uint32_t i = 0; i < machine->call_count; i++)
		if (machine->calls[i] && strcmp(machine->calls[i], name) == 0)
			return i;
	return UINT32_MAX;
}

# SPDX-License-Identifier: Apache-2.0
"""The initiator of a call stack, by the names of functions: the oracle of truth.py.

glibc's own names, from its debug files; elfault is run without these files and must agree. Where
the contract leaves open whose a fault is, all the answers that fit are allowed.
"""
import fnmatch

LOOKUP_SECTIONS = {".gnu.hash", ".hash", ".dynsym", ".dynstr", ".gnu.version", ".gnu.version_r",
                   ".gnu.version_d"}

LAZY = {"_dl_fixup", "_dl_profile_fixup", "_dl_runtime_resolve*", "_dl_runtime_profile*"}
LOOKUP = {"_dl_lookup_symbol_x", "do_lookup_x", "check_match", "_dl_lookup_direct",
          "do_lookup_unique", "_dl_new_hash"}
DLSYM = {"_dl_sym", "_dl_vsym", "do_sym", "dlsym_doit", "dlvsym_doit", "dlsym_implementation",
         "*dlsym", "*dlvsym"}
RELOCATE = {"_dl_relocate_object", "_dl_relocate_static_pie", "apply_irel", "_dl_apply_irel"}
TLS = {"_dl_allocate_tls", "_dl_allocate_tls_init", "__tls_get_addr*", "update_get_addr", "tls_get_addr_tail",
       "__libc_setup_tls", "allocate_and_init", "init_static_tls",
       "_dl_init_static_tls", "_dl_update_slotinfo", "_dl_tls_*", "init_one_static_tls",
       "_dl_resize_dtv", "__copy_tls", "__init_tls", "static_init_tls"}
# Room for the block and the tables about it: no byte of .tdata is copied yet.
TLS_OR_OUTER = {"__tls_init_tp", "init_tls", "_dl_allocate_tls_storage", "allocate_dtv*"}
UNWIND = {"_Unwind_*", "uw_*", "__gxx_personality*", "__cxa_throw", "__cxa_rethrow",
          "__gcc_personality*"}
UNWIND_OR_OUTER = {"__cxa_allocate_exception", "__cxa_begin_catch", "__cxa_end_catch",
                   "__cxa_free_exception", "__cxa_get_globals*", "__cxa_init_primary_exception",
                   "__register_frame_info*", "__deregister_frame_info*"}
CALL_INIT = {"call_init", "_dl_init", "__libc_start_init", "libc_start_init"}  # the last two are musl's
FINALIZE = {"_dl_fini", "_dl_call_fini", "call_destructors", "__run_exit_handlers", "exit",
            "_IO_cleanup"}
OPEN = {"_dl_open", "dl_open_worker*", "_dl_map_new_object"}
CLOSE = {"_dl_close", "_dl_close_worker"}
OPEN_WRAPPER = {"*dlopen", "dlopen_doit", "dlopen_implementation", "*dlmopen"}
CLOSE_WRAPPER = {"*dlclose", "dlclose_doit", "dlclose_implementation"}
LOADER = {"dl_main", "_dl_start", "_dl_start_user", "_dl_start_final", "_dl_sysdep_start",
          "_dl_map_object*", "_dl_call_libc_early_init"}
EARLY = {"__libc_early_init"}
PROGRAM = {"main", "start_thread", "*clone", "*clone3", "__spawni_child"}
SET_JUMP = {"_setjmp", "__sigsetjmp", "__sigjmp_save"}
START_MAIN = {"__libc_start_main*"}
# Of starts.c: lld makes plain functions of the symbols of IFUNCs in static programs.
RESOLVERS = {"resolve", "*_ifunc"}
# Initializers of static programs, where libc's own functions stand in the same file.
INITIALIZERS = {"_init", "frame_dummy", "register_tm_clones", "init_*", "preinit", "_GLOBAL__sub_I_*",
                "jumped_to", "init_cacheinfo"}


class Frame:
    """One frame: the names of its function, and in which kind of file it stands."""

    def __init__(self, path, vaddr, names, is_ifunc):
        self.path = path
        self.vaddr = vaddr
        # foo.part.0 is foo.
        self.names = {name.split(".")[0] or name for name in names}
        self.is_ifunc = is_ifunc
        base = (path or "").rsplit("/", 1)[-1]
        self.is_ldso = base.startswith(("ld-linux", "ld-musl"))
        self.is_libc = base.startswith(("libc.so", "libc-"))

    def has(self, patterns):
        return any(name in patterns for name in self.names) or any(
            fnmatch.fnmatchcase(name, pattern) for pattern in patterns if "*" in pattern
            for name in self.names)

    def is_loader_code(self):
        return self.is_ldso or any(name.startswith("_dl_") for name in self.names)


class Verdict:
    """allowed: the initiators that fit. dlopen: True, False or None, not to be told.
    initializer: the Frame, False where none runs, None where it is not to be told."""

    def __init__(self, allowed, dlopen, initializer):
        self.allowed, self.dlopen, self.initializer = allowed, dlopen, initializer


def is_initializer_call(frames, i):
    """Whether frames[i] called frames[i - 1] as an initializer."""
    if not i:
        return False
    callee = frames[i - 1]
    if frames[i].has(CALL_INIT):
        return not any(name.startswith("_dl_") or name == "call_init" for name in callee.names)
    if not frames[i].has(START_MAIN) or callee.has(PROGRAM) or callee.is_ifunc:
        return False
    if frames[i].is_libc:
        return not callee.is_libc and not callee.is_ldso
    return callee.has(INITIALIZERS)


def initiators(frames, fault, place, start=0):
    """The set of initiators that fit, empty where the names do not tell."""
    looked_up = False  # by the frames from @start on
    for i in range(start, len(frames)):
        frame = frames[i]
        if frame.is_ifunc or frame.has(RESOLVERS):
            # It may bind a name of the vDSO.
            return {"ifunc", "symbol-lookup"} if looked_up else {"ifunc"}
        if frame.has(LAZY):
            return {"lazy-binding"}
        if frame.has(LOOKUP):
            looked_up = True
            continue
        if looked_up and not frame.is_loader_code():
            return {"symbol-lookup"}
        if looked_up and (frame.has(LOADER) or frame.has({"_dl_non_dynamic_init"})):
            # The start binds names of the vDSO, whose tables no fault shows: part of the start, too.
            if place.section in LOOKUP_SECTIONS:
                return {"symbol-lookup"}
            return {"symbol-lookup"} | initiators(frames, fault, place, i)
        if looked_up and (frame.has(RELOCATE) or frame.has(OPEN) or frame.has(DLSYM)):
            return {"symbol-lookup"}
        if frame.has(TLS):
            return {"tls-setup"}
        if frame.has(TLS_OR_OUTER):
            return {"tls-setup"} | initiators(frames, fault, place, i + 1)
        if frame.has(RELOCATE):
            if i and frame.is_ldso and not frames[i - 1].is_ldso:
                return {"ifunc"}
            if not i and place.section in LOOKUP_SECTIONS:
                return {"symbol-lookup"}
            return {"relocation"}
        if frame.has(DLSYM):
            if i and frames[i - 1].is_ldso:
                return {"symbol-lookup"}
            return {"symbol-lookup"} | initiators(frames, fault, place, i + 1)
        if frame.has(UNWIND):
            return {"unwind"}
        if frame.has(UNWIND_OR_OUTER):
            return {"unwind"} | initiators(frames, fault, place, i + 1)
        if is_initializer_call(frames, i):
            return {"static-init"}
        if frame.has(FINALIZE):
            return {"static-fini"}
        # It calls finalizers through _dl_call_fini, which leaves the last one by a jump.
        if frame.has(CLOSE) and any(not inner.is_ldso and not inner.is_libc for inner in frames[:i]):
            return {"static-fini"}
        if frame.has(OPEN | CLOSE) or (frame.has(CALL_INIT) and frame.is_ldso):
            return {"loader"}
        if frame.has(OPEN_WRAPPER | CLOSE_WRAPPER):
            if i and frames[i - 1].is_ldso:
                return {"loader"}
            return {"loader"} | initiators(frames, fault, place, i + 1)
        if frame.has(EARLY):
            return {"loader", "startup"}
        if frame.has(LOADER) or (frame.is_ldso and frame.has({"_start"})):
            if place.is_relocation and frame.has({"_dl_start"}):
                return {"relocation"}
            return {"loader"}
        if frame.has(PROGRAM):
            return {"program"}
        if frame.has({"__libc_start_call_main"}):
            # Before main, or behind it on the way to exit(). main may have left by a jump to libc.
            is_own = i and not frames[i - 1].has(SET_JUMP)
            return {"program"} if is_own else {"startup", "static-fini"}
        if frame.has(START_MAIN):
            return {"relocation"} if not i and place.is_relocation else {"startup"}
        if frame.has({"_start"}):
            # musl's libc runs initializers, main and finalizers, by functions without names.
            return set() if any(inner.is_libc and not inner.names for inner in frames[:i]) else {"startup"}
    return {"symbol-lookup"} if looked_up else set()


def verdict(frames, fault, place):
    """What is true of @fault; None where the names do not tell."""
    if not frames:
        return Verdict({"exec"}, False, False) if fault["mode"] == "kernel" and \
            fault["by"]["ip"] is None else None
    allowed = initiators(frames, fault, place)
    if not allowed:
        return None
    initializer = next((frames[i - 1] for i in range(len(frames)) if is_initializer_call(frames, i)),
                       False)
    if any(frame.has(OPEN) for frame in frames):
        dlopen = True
    else:
        dlopen = None if any(frame.has(OPEN_WRAPPER) for frame in frames) else False
    return Verdict(allowed, dlopen, initializer)

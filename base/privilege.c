// SPDX-License-Identifier: Apache-2.0
// Owns the way out of privilege: who called, becoming that user, and an empty capability set.
#include "base/privilege.h"

#include <cap-ng.h>
#include <grp.h>
#include <limits.h>
#include <pwd.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

/** A decimal id from the environment: digits only, and not the -1 that means "leave as it is". */
static bool id_parse(const char *text, uint32_t *ret_id)
{
	uint64_t value = 0;
	size_t length = text ? strlen(text) : 0;

	if (length == 0 || length > 10 || strspn(text, "0123456789") != length)
		return false;
	for (size_t i = 0; i < length; i++)
		value = value * 10 + (uint64_t)(text[i] - '0');
	if (value >= UINT32_MAX)
		return false;
	*ret_id = (uint32_t)value;
	return true;
}

/** The record of @uid; of several with one uid, the one called @name. */
static const struct passwd *user_find(uid_t uid, const char *name)
{
	const struct passwd *user = name ? getpwnam(name) : NULL;

	return user && user->pw_uid == uid ? user : getpwuid(uid);
}

/** @text in @buffer, or NULL where it is missing or does not fit. */
static const char *keep(char *buffer, size_t size, const char *text)
{
	if (!text || strlen(text) >= size)
		return NULL;
	return strcpy(buffer, text);
}

struct caller caller_find(void)
{
	static char name[256], home[PATH_MAX];
	struct caller caller = { .uid = getuid(), .gid = getgid() };
	uint32_t uid, gid;

	// Of a setuid program, the real user chooses the environment.
	if (getuid() != 0 || geteuid() != 0 || !id_parse(getenv("SUDO_UID"), &uid) || uid == 0) {
		const struct passwd *self = getpwuid(caller.uid);

		caller.home = keep(home, sizeof(home), self ? self->pw_dir : NULL);
		return caller;
	}

	// The names come from the user database, so that the environment can only choose an id.
	const struct passwd *user = user_find(uid, getenv("SUDO_USER"));

	if (!id_parse(getenv("SUDO_GID"), &gid)) {
		if (!user)
			return caller;
		gid = user->pw_gid;
	}
	return (struct caller){
		.uid = uid,
		.gid = gid,
		.name = keep(name, sizeof(name), user ? user->pw_name : NULL),
		.home = keep(home, sizeof(home), user ? user->pw_dir : NULL),
		.under_sudo = true,
	};
}

bool privilege_become(const struct caller *caller, struct err *err)
{
	uid_t uids[3];
	gid_t gids[3];

	if (geteuid() == 0 && caller->uid != 0) {
		if (caller->name ? initgroups(caller->name, caller->gid)
				 : setgroups(1, &caller->gid))
			return err_os(err, "setting the groups of user %u", caller->uid);
	}
	if (setresgid(caller->gid, caller->gid, caller->gid))
		return err_os(err, "becoming group %u", caller->gid);
	if (setresuid(caller->uid, caller->uid, caller->uid))
		return err_os(err, "becoming user %u", caller->uid);

	// A call that reports success and leaves a way back would be the worst outcome: look.
	if (getresuid(&uids[0], &uids[1], &uids[2]) || getresgid(&gids[0], &gids[1], &gids[2]))
		return err_os(err, "reading the ids back");
	for (size_t i = 0; i < 3; i++) {
		if (uids[i] != caller->uid || gids[i] != caller->gid)
			return err_set(err, ERR_DENIED, "still user %u, group %u after becoming %u",
				       uids[i], gids[i], caller->uid);
	}
	if (caller->uid != 0 && (!setuid(0) || !seteuid(0)))
		return err_set(err, ERR_DENIED, "user %u can become root again", caller->uid);
	return true;
}

bool privilege_run_as(const struct caller *caller, struct err *err)
{
	if (!privilege_become(caller, err))
		return false;
	if (caller->name && (setenv("USER", caller->name, 1) || setenv("LOGNAME", caller->name, 1)))
		return err_os(err, "setting USER");
	return !caller->home || setenv("HOME", caller->home, 1) == 0 || err_os(err, "setting HOME");
}

bool privilege_drop(const struct caller *caller, struct err *err)
{
	// The bounding set needs CAP_SETPCAP, so before the ids; where that is missing the empty
	// sets and no_new_privs below keep an exec from gaining anything all the same.
	if (capng_get_caps_process())
		return err_set(err, ERR_OS, "reading the capabilities of this process failed");
	capng_clear(CAPNG_SELECT_BOUNDS);
	(void)!capng_apply(CAPNG_SELECT_BOUNDS);

	if (!privilege_become(caller, err))
		return false;

	capng_clear(CAPNG_SELECT_BOTH);
	if (capng_apply(CAPNG_SELECT_CAPS))
		return err_set(err, ERR_DENIED, "giving up capabilities failed");
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return err_os(err, "setting no_new_privs");

	if (capng_get_caps_process() || capng_have_capabilities(CAPNG_SELECT_CAPS) != CAPNG_NONE)
		return err_set(err, ERR_DENIED, "capabilities are left after giving them up");
	return true;
}

bool privilege_is_contained(void)
{
	enum { FIRST = 0xeffffffd }; // PROC_USER_INIT_INO of include/linux/proc_ns.h
	struct stat status;

	return stat("/proc/self/ns/user", &status) == 0 && status.st_ino != (ino_t)FIRST;
}

const char *privilege_way(void)
{
	return privilege_is_contained() ? "run it outside of the container" : "run it with sudo";
}

const char *privilege_place(void)
{
	return privilege_is_contained() ? "outside of the container: " : "";
}

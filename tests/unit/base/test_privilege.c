// SPDX-License-Identifier: Apache-2.0
// Giving up privilege, each case in a child process of its own.
#include "base/privilege.h"
#include "tests/support/test.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NOBODY = 65534 };

static void sudo_set(const char *uid, const char *gid, const char *user)
{
	unsetenv("SUDO_UID");
	unsetenv("SUDO_GID");
	unsetenv("SUDO_USER");
	if (uid)
		setenv("SUDO_UID", uid, 1);
	if (gid)
		setenv("SUDO_GID", gid, 1);
	if (user)
		setenv("SUDO_USER", user, 1);
}

static void skip_unless_root(void)
{
	if (geteuid() != 0) {
		print_message("# needs root: skipped\n");
		skip();
	}
}

/** Run @check in a child; it returns 0 or the line that failed. */
static void in_child(int (*check)(void))
{
	pid_t pid = fork();
	int status;

	assert_true(pid >= 0);
	if (pid == 0)
		_exit(check() & 0xff);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

#define CHECK(condition)                 \
	do {                             \
		if (!(condition))        \
			return __LINE__; \
	} while (0)

static bool status_has(const char *line)
{
	char text[8192];
	int fd = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
	ssize_t size = read(fd, text, sizeof(text) - 1);

	close(fd);
	if (size < 0)
		return false;
	text[size] = '\0';
	return strstr(text, line) != NULL;
}

TEST(sudo_names_the_caller)
{
	skip_unless_root();
	sudo_set("65534", "65533", "nobody");

	struct caller caller = caller_find();

	assert_true(caller.under_sudo);
	assert_int_equal(caller.uid, 65534);
	assert_int_equal(caller.gid, 65533);
	assert_string_equal(caller.name, "nobody");
	assert_non_null(caller.home);
}

TEST(a_user_name_of_another_uid_is_not_believed)
{
	skip_unless_root();
	sudo_set("65534", "65534", "root");
	assert_string_equal(caller_find().name, "nobody");
}

TEST(a_uid_without_a_record_has_no_name)
{
	skip_unless_root();
	sudo_set("4000000000", "4000000000", "ghost");

	struct caller caller = caller_find();

	assert_true(caller.under_sudo);
	assert_int_equal(caller.uid, 4000000000);
	assert_null(caller.name);
	assert_null(caller.home);
}

TEST(a_missing_group_is_the_users_own)
{
	skip_unless_root();
	sudo_set("65534", NULL, NULL);

	struct caller caller = caller_find();

	assert_true(caller.under_sudo);
	assert_int_equal(caller.gid, 65534);
}

TEST(anything_but_a_plain_number_is_not_a_caller)
{
	static const char *const bad[] = {
		"",
		" 1000",
		"1000 ",
		"-1",
		"+5",
		"0x10",
		"1e3",
		"4294967295",
		"4294967296",
		"99999999999",
		"18446744073709552616",
		"0",
		"nobody",
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		sudo_set(bad[i], "1000", "nobody");

		struct caller caller = caller_find();

		assert_false(caller.under_sudo);
		assert_int_equal(caller.uid, getuid());
		assert_int_equal(caller.gid, getgid());
	}
}

static int check_sudo_drop(void)
{
	struct err err = { 0 };
	gid_t groups[64];

	sudo_set("65534", "65534", "nobody");

	struct caller caller = caller_find();

	CHECK(setgroups(2, (gid_t[]){ 0, 4 }) == 0);
	CHECK(privilege_drop(&caller, &err));
	CHECK(getuid() == NOBODY && geteuid() == NOBODY);
	CHECK(getgid() == NOBODY && getegid() == NOBODY);
	CHECK(setuid(0) == -1 && errno == EPERM);
	CHECK(setgid(0) == -1 && errno == EPERM);

	int count = getgroups(64, groups);

	CHECK(count >= 0);
	for (int i = 0; i < count; i++)
		CHECK(groups[i] != 0 && groups[i] != 4);
	CHECK(status_has("CapPrm:\t0000000000000000"));
	CHECK(status_has("CapEff:\t0000000000000000"));
	CHECK(status_has("CapInh:\t0000000000000000"));
	CHECK(status_has("CapBnd:\t0000000000000000"));
	CHECK(status_has("CapAmb:\t0000000000000000"));
	CHECK(status_has("NoNewPrivs:\t1"));
	CHECK(open("/etc/shadow", O_RDONLY | O_CLOEXEC) == -1 && errno == EACCES);
	return 0;
}

TEST(under_sudo_the_process_becomes_the_caller_for_good)
{
	skip_unless_root();
	in_child(check_sudo_drop);
}

static int check_root_drop(void)
{
	struct err err = { 0 };

	sudo_set(NULL, NULL, NULL);

	struct caller caller = caller_find();

	CHECK(privilege_drop(&caller, &err));
	CHECK(geteuid() == 0);
	CHECK(status_has("CapPrm:\t0000000000000000"));
	CHECK(status_has("CapEff:\t0000000000000000"));
	CHECK(status_has("CapBnd:\t0000000000000000"));
	CHECK(status_has("NoNewPrivs:\t1"));
	CHECK(setuid(NOBODY) == -1 && errno == EPERM);
	CHECK(mount("none", "/mnt", "tmpfs", 0, NULL) == -1 && errno == EPERM);
	return 0;
}

TEST(plain_root_keeps_its_id_and_loses_every_capability)
{
	skip_unless_root();
	in_child(check_root_drop);
}

static int check_user_drop(void)
{
	struct err err = { 0 };

	CHECK(geteuid() != 0 || setresuid(NOBODY, NOBODY, NOBODY) == 0);
	sudo_set("0", "0", "root");

	struct caller caller = caller_find();

	CHECK(!caller.under_sudo);
	CHECK(privilege_drop(&caller, &err));
	CHECK(status_has("CapEff:\t0000000000000000"));
	CHECK(status_has("NoNewPrivs:\t1"));
	return 0;
}

TEST(an_ordinary_user_can_drop_too)
{
	in_child(check_user_drop);
}

static int check_become(void)
{
	struct err err = { 0 };

	sudo_set("65534", "65534", "nobody");

	struct caller caller = caller_find();

	CHECK(privilege_become(&caller, &err));
	CHECK(geteuid() == NOBODY && getegid() == NOBODY);
	CHECK(setuid(0) == -1);
	CHECK(status_has("NoNewPrivs:\t0"));
	CHECK(!status_has("CapBnd:\t0000000000000000"));
	return 0;
}

TEST(a_command_of_the_caller_can_still_use_setuid_programs)
{
	skip_unless_root();
	in_child(check_become);
}

static int check_become_denied(void)
{
	struct err err = { 0 };
	struct caller other = { .uid = 1, .gid = 1 };

	CHECK(geteuid() != 0 || setresuid(NOBODY, NOBODY, NOBODY) == 0);
	CHECK(!privilege_become(&other, &err));
	CHECK(err.code == ERR_OS && err.os_errno == EPERM);
	return 0;
}

TEST(becoming_somebody_else_without_the_right_fails)
{
	in_child(check_become_denied);
}

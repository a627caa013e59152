#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# A client of the X display that says nothing of its process (no _NET_WM_PID):
#   maps.py override|input   maps a window with override-redirect, or of class InputOnly; 0.3 s later a usual one, and prints to
#                            standard error when, before and after, in nanoseconds of CLOCK_MONOTONIC; waits 20 s
#   maps.py manager          a window manager: puts each window into one of its own, which it maps some 100 ms after, and prints
#                            when, before and after
import ctypes
import sys
import time

x = ctypes.CDLL("libX11.so.6")
x.XOpenDisplay.restype = ctypes.c_void_p
x.XDefaultRootWindow.restype = x.XCreateSimpleWindow.restype = x.XCreateWindow.restype = ctypes.c_ulong
x.XInternAtom.restype = ctypes.c_ulong
display = ctypes.c_void_p(x.XOpenDisplay(None))
if not display:
    sys.exit("no display")
root = ctypes.c_ulong(x.XDefaultRootWindow(display))
INPUT_OUTPUT, INPUT_ONLY, OVERRIDE_REDIRECT = 1, 2, 1 << 9
SUBSTRUCTURE_REDIRECT, MAP_REQUEST = 1 << 20, 20


class Attributes(ctypes.Structure):
    _fields_ = [(name, kind) for name, kind in (
        ("background_pixmap", ctypes.c_ulong), ("background_pixel", ctypes.c_ulong), ("border_pixmap", ctypes.c_ulong),
        ("border_pixel", ctypes.c_ulong), ("bit_gravity", ctypes.c_int), ("win_gravity", ctypes.c_int),
        ("backing_store", ctypes.c_int), ("backing_planes", ctypes.c_ulong), ("backing_pixel", ctypes.c_ulong),
        ("save_under", ctypes.c_int), ("event_mask", ctypes.c_long), ("do_not_propagate_mask", ctypes.c_long),
        ("override_redirect", ctypes.c_int), ("colormap", ctypes.c_ulong), ("cursor", ctypes.c_ulong))]


class MapRequest(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int), ("serial", ctypes.c_ulong), ("send_event", ctypes.c_int),
                ("display", ctypes.c_void_p), ("parent", ctypes.c_ulong), ("window", ctypes.c_ulong),
                ("rest", ctypes.c_long * 24)]


def make(window_class, override):
    attributes = Attributes(override_redirect=override)
    window = ctypes.c_ulong(x.XCreateWindow(display, root, 10, 10, 100, 100, 0, 0, window_class, None,
                                            ctypes.c_ulong(OVERRIDE_REDIRECT), ctypes.byref(attributes)))
    x.XMapWindow(display, window)
    x.XSync(display, 0)


def manage():
    x.XSelectInput(display, root, SUBSTRUCTURE_REDIRECT)
    x.XSync(display, 0)
    with open("managing", "w", encoding="utf-8"):
        pass
    event = MapRequest()
    while True:
        x.XNextEvent(display, ctypes.byref(event))
        if event.type != MAP_REQUEST:
            continue
        frame = ctypes.c_ulong(x.XCreateSimpleWindow(display, root, 0, 0, 200, 200, 0, 0, 0))
        x.XReparentWindow(display, ctypes.c_ulong(event.window), frame, 0, 20)
        time.sleep(0.1)
        before = time.monotonic_ns()
        x.XMapWindow(display, ctypes.c_ulong(event.window))
        x.XMapWindow(display, frame)
        x.XSync(display, 0)
        print(before, time.monotonic_ns(), flush=True)


if sys.argv[1] == "manager":
    manage()
make(INPUT_ONLY if sys.argv[1] == "input" else INPUT_OUTPUT, sys.argv[1] == "override")
time.sleep(0.3)
before = time.monotonic_ns()
make(INPUT_OUTPUT, False)
print("maps", before, time.monotonic_ns(), file=sys.stderr, flush=True)
time.sleep(20)

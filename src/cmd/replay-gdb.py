# SPDX-License-Identifier: Apache-2.0
"""Commands of gdb in `heddle replay --gdb`. FILES, set before, is a directory: `stops` there has the places worth stopping
at, a line each (kind, event, thread, what, between tabs). To go back is to run again from the start, which Heddle does: it is
asked by the file `again`, and everything that gdb can save is read back."""
import os

import gdb


class Stop(gdb.Breakpoint):
    """Where the runtime calls when the event has come."""

    def __init__(self):
        super().__init__("__heddle_stop", internal=True)
        self.silent = True

    def stop(self):
        return True


class Replay:
    def __init__(self, files):
        self.files, self.stops, self.been = files, [], []
        self.asked = None  # where it was to stop; points are a few events apart, so it may have come later
        with open(files + "/stops", encoding="utf-8", errors="replace") as f:
            for line in f:
                kind, event, thread, what = line.rstrip("\n").split("\t", 3)
                self.stops.append((int(event), kind, thread, what))
        self.stops.sort()
        if os.path.exists(files + "/been"):
            with open(files + "/been", encoding="ascii") as f:
                self.asked, *self.been = [int(word) for word in f.read().split()]

    def call(self, function, argument=""):
        cast = "unsigned long (*)(unsigned long)" if argument else "unsigned long (*)(void)"
        gdb.execute("set scheduler-locking on", to_string=True)
        try:
            return int(gdb.parse_and_eval(f"(({cast})&{function})({argument})"))
        finally:
            gdb.execute("set scheduler-locking replay", to_string=True)

    def now(self):
        try:
            return self.call("__heddle_event")
        except gdb.error:
            return None  # it does not run

    def is_at_stop(self):
        """Else another breakpoint came first."""
        try:
            return gdb.newest_frame().name() == "__heddle_stop"
        except gdb.error:
            return False

    def select_thread(self, now):
        """The one whose event comes next: it may wait for its turn while another one has stopped for us."""
        before = [s for s in self.stops if s[1] != "key" and s[0] <= now]
        if not before:
            return ""
        tid = self.call("__heddle_tid", before[-1][2][1:])
        for thread in gdb.selected_inferior().threads():
            if thread.ptid[1] == tid:
                thread.switch()
        return before[-1][2]

    def show(self, by_us=True):
        """Where in the run that is, and from the runtime's functions up to the first that is the user's."""
        now = self.now()
        if now is None:
            return
        thread = self.select_thread(now) if by_us else ""
        frame = gdb.newest_frame()
        while frame.older() and (not frame.find_sal().symtab or "/rt/" in frame.find_sal().symtab.fullname()):
            frame = frame.older()
        frame.select()
        here = [s for s in self.stops if s[0] == now and s[1] == "key"]
        print(f"before event {now}" + (f" of {thread}" if thread else "") + "".join(f": {s[3]}" for s in here))
        if by_us:
            gdb.execute("frame")

    def go(self, event):
        now = self.now()
        if now is not None and now not in self.been:
            self.been.append(now)
        self.asked = event
        if now is not None and event > now:
            self.call("__heddle_stop_at", str(event))
            gdb.execute("continue")
            self.show(self.is_at_stop())
            return
        with open(self.files + "/been", "w", encoding="ascii") as f:
            f.write(" ".join(str(e) for e in [event] + [e for e in self.been if e < event]))
        with open(self.files + "/again", "w", encoding="ascii") as f:
            f.write(str(event))
        gdb.execute(f"save breakpoints {self.files}/breakpoints", to_string=True)
        gdb.execute("quit")

    def events(self, kind):
        return [s[0] for s in self.stops if kind in (s[1], "")]

    def forward(self, kind, count):
        now = self.now()
        if now is None:
            raise gdb.GdbError("the program has ended; 'reverse' goes back")
        later = [e for e in self.events(kind) if e > now]
        if len(later) < count:
            raise gdb.GdbError(f"there {'is' if len(later) == 1 else 'are'} {len(later) or 'no'} more behind this; 'continue' goes to the end")
        self.go(later[count - 1])

    def back(self, events, count=1):
        now = self.now()
        if now is not None and self.asked is not None:
            now = min(now, self.asked)
        before = sorted({e for e in events if now is None or e < now})
        if len(before) < count:
            raise gdb.GdbError("there is none before this")
        self.go(before[-count])


class Verb(gdb.Command):
    def __init__(self, name, text, does):
        self.__doc__ = text
        self.does = does
        super().__init__(name, gdb.COMMAND_RUNNING)

    def invoke(self, argument, from_tty):
        words = gdb.string_to_argv(argument)
        if len(words) > 1 or not all(w.isdigit() for w in words):
            raise gdb.GdbError("a number is wanted, or nothing")
        self.does(int(words[0]) if words else None)


def tell_keys(_):
    now = replay.now()
    for event, kind, thread, what in replay.stops:
        if kind == "key":
            print(f"{'>' if event == now else ' '} {event:6}  {thread}  {what}")
    if not replay.events("key"):
        print("no finding tells of this run; next-switch and reverse-switch stop where another thread goes on")


def go_to(event):
    if event is None:
        raise gdb.GdbError("say which event")
    replay.go(event)


Stop()
replay = Replay(FILES)  # noqa: F821
Verb("keys", "The steps that the finding of this run is about, and where they are.", tell_keys)
Verb("next-key", "next-key [N]: go on to the next key step.", lambda n: replay.forward("key", n or 1))
Verb("reverse-key", "reverse-key [N]: back to the key step before this.", lambda n: replay.back(replay.events("key"), n or 1))
Verb("next-switch", "next-switch [N]: go on to where another thread goes on.", lambda n: replay.forward("switch", n or 1))
Verb("reverse-switch", "reverse-switch [N]: back to the switch before this.", lambda n: replay.back(replay.events("switch"), n or 1))
Verb("reverse", "reverse [N]: back to where these commands stopped before.", lambda n: replay.back(replay.been, n or 1))
Verb("event", "event N: to before the event N of the run, on or back.", go_to)

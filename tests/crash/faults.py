"""What happens to a server's machine: power that fails, a clock that jumps, a disk that fills, descriptors that run out.
See README.md here."""
import os
import pathlib
import resource
import shutil
import struct
import subprocess

KINDS = ("power", "clock", "descriptors", "disk")
JUMP_SECONDS = 120          # either way, from the true time; below what queues and tokens remember
DISK_BYTES = 768 << 20
PAGE = 4096


class Faults:
    """`environment` is for the server; `data` is where it may keep its pond."""

    def __init__(self, kinds, directory, chance):
        self.kinds, self.chance = kinds, chance
        self.counts = dict.fromkeys(kinds, 0)
        self.cut = self.undone = 0
        self.disk = directory / "disk"
        self.disk.mkdir()
        self.is_mounted = False
        if "disk" in kinds:
            subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={DISK_BYTES}", "tmpfs", self.disk], check=True)
            self.is_mounted = True
        self.data = self.disk / "data"
        self.trash = self.disk / "trash"   # on the data's own disk: names are links
        self.trash.mkdir()
        self.journal, self.clock = directory / "journal", directory / "clock"
        self.clock.write_bytes(bytes(8))
        self.environment = {}
        if "power" in kinds or "clock" in kinds:
            library = directory / "faults.so"
            source = pathlib.Path(__file__).with_name("faults.c")
            subprocess.run([os.environ.get("CC", "clang-19"), "-O1", "-shared", "-fPIC", "-o", library, source, "-ldl"],
                           check=True)
            self.environment = {"LD_PRELOAD": str(library), "FAULTS_CLOCK": str(self.clock)}
            if "power" in kinds:
                self.environment.update(FAULTS_JOURNAL=str(self.journal), FAULTS_DATA=str(self.data),
                                        FAULTS_TRASH=str(self.trash))

    def close(self):
        if self.is_mounted:
            subprocess.run(["umount", "--lazy", self.disk], check=True)

    def before_start(self):
        self.end_shortage()
        self.journal.write_text("")
        self.whole = {path: path.stat().st_size for path in self.data.rglob("*") if path.is_file()}

    def meanwhile(self, process):
        """Something that happens to a running server, and goes on until it is killed or end_shortage()."""
        happens = self.chance.choice([kind for kind in self.kinds if kind != "power"] or [None])
        if happens == "clock":
            self.jump()
        elif happens == "descriptors":
            self.take_descriptors(process.pid)
        elif happens == "disk":
            self.fill()
        if happens:
            self.counts[happens] += 1

    def after_kill(self):
        self.end_shortage()
        if "power" in self.kinds:
            self.counts["power"] += 1
            self.lose_power()

    def settle(self):
        """No more faults; a clock that is behind none that was shown."""
        self.end_shortage()
        if "clock" in self.kinds:
            self.shift(JUMP_SECONDS)

    # --- the clock, descriptors, the disk ---

    def jump(self):
        self.shift(self.chance.uniform(-JUMP_SECONDS, JUMP_SECONDS))

    def shift(self, seconds):
        with open(self.clock, "r+b", buffering=0) as file:  # in place: the server has it mapped
            file.write(struct.pack("q", int(seconds * 1e9)))

    def take_descriptors(self, pid):
        """None that is not open may be opened any more."""
        used = max(int(name) for name in os.listdir(f"/proc/{pid}/fd")) + 1
        self.limits = (pid, resource.prlimit(pid, resource.RLIMIT_NOFILE))
        resource.prlimit(pid, resource.RLIMIT_NOFILE, (used, self.limits[1][1]))

    def fill(self):
        with open(self.disk / "filler", "ab", buffering=0) as file:
            for size in (1 << 20, 1 << 12):
                try:
                    while file.write(b"\0" * size) == size:
                        pass
                except OSError:
                    pass

    def end_shortage(self):
        (self.disk / "filler").unlink(missing_ok=True)
        pid, limits = self.__dict__.pop("limits", (None, None))
        try:
            if pid:
                resource.prlimit(pid, resource.RLIMIT_NOFILE, limits)
        except ProcessLookupError:
            pass

    # --- power ---

    def lose_power(self):
        """Leaves of the data what a disk may hold that nothing was asked to keep but what was synced: of each directory the
        changes of names up to some moment after it was synced last, of each file some of what came after its last sync."""
        synced, pending = self.read_journal()
        kept = {}
        for _, directory, _ in pending:
            kept.setdefault(directory, sum(other == directory for _, other, _ in pending))
        for directory, count in kept.items():
            kept[directory] = self.chance.choice((0, count, self.chance.randint(0, count)))
        undo = []
        for change in pending:
            if kept[change[1]] > 0:
                kept[change[1]] -= 1
            else:
                undo.append(change)
        for kind, _, names in reversed(undo):
            self.undone += 1
            getattr(self, "undo_" + kind)(*names)
        for path, durable in synced.items():
            self.cut_file(path, durable)
        shutil.rmtree(self.trash)
        self.trash.mkdir()

    def read_journal(self):
        """path -> how many bytes of the file are durable; and the changes of names that are not: (kind, directory, names)."""
        files = {str(path): [size] for path, size in self.whole.items()}   # by all its names one list: its durable bytes
        pending = []
        text = self.journal.read_text()
        for line in text[:text.rfind("\n") + 1].splitlines():
            kind, _, rest = line.partition(" ")
            names = rest.split("\t")
            if kind == "S":
                if names[1] in files:
                    files[names[1]][0] = max(files[names[1]][0], int(names[0]))
            elif kind == "D":
                pending = [change for change in pending if change[1] != rest]
            else:
                if kind == "C":
                    files[rest] = [0]
                elif kind == "L":
                    files[names[1]] = files.get(names[0], [0])
                elif kind == "R":
                    files[names[2]] = files.pop(names[1], [0])
                elif kind == "U":
                    files.pop(names[1], None)
                pending.append((kind, os.path.dirname(names[-1]), names))
        return {path: durable[0] for path, durable in files.items()}, pending

    @staticmethod
    def undo_C(path):
        pathlib.Path(path).unlink(missing_ok=True)

    @staticmethod
    def undo_M(path):
        shutil.rmtree(path, ignore_errors=True)

    @staticmethod
    def undo_L(_, path):
        pathlib.Path(path).unlink(missing_ok=True)

    def undo_R(self, kept, before, path):
        if os.path.exists(path):
            os.rename(path, before)
        if int(kept):
            os.link(self.trash / kept, path)

    def undo_U(self, kept, path):
        if not os.path.exists(path) and os.path.isdir(os.path.dirname(path)):
            os.link(self.trash / kept, path)

    def cut_file(self, path, durable):
        if not os.path.isfile(path) or (size := os.path.getsize(path)) <= durable:
            return
        self.cut += 1
        left = self.chance.choice((durable, size, self.chance.randint(durable, size)))
        torn = bytearray(pathlib.Path(path).read_bytes()[:left])
        for page in range((durable + PAGE - 1) // PAGE * PAGE, left, PAGE):
            if self.chance.random() < 0.3:  # the length has come to the disk, this has not
                torn[page:page + PAGE] = bytes(min(PAGE, left - page))
        mode = os.stat(path).st_mode
        os.unlink(path)  # somebody who ends a moment later may still run it
        pathlib.Path(path).write_bytes(torn)
        os.chmod(path, mode)

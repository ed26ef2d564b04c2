// The parent of a function's processes: starts one program, and ends with it and all that has come of it.
//
//   supervisor <open files> <bytes of a file, or 0> <opt> <links> <groups> <program> <argument>...
//   supervisor --may-mount
//   supervisor --inside <processes> <ports> <program> <argument>...
//
// The program finds the directory <opt> at /opt, in a mount namespace of its own; "" leaves /opt as it is. The second
// form tells by its status whether this process may do that (0) or not (1). <links>, a line each,
// "lang/bin/node=/usr/bin/node", stand below its /var beside what the host has there, which they never hide; where
// they cannot be made it runs without. They are of no meaning without <opt>, and in a sandbox. <groups> are files, a
// line each, into which the program writes itself before it begins: those of control groups that hold it and all that
// it starts.
//
// Where the program is to run in a sandbox, <program> is what makes that, and <opt> is "--sandbox"; inside the third form
// becomes the function's own program. What is meant for that one stands in the environment behind a prefix, of which whatever makes the
// sandbox knows nothing: variables like LD_PRELOAD would be obeyed by it, outside. If the program cannot be started its
// errno comes out of the sandbox by descriptor 3. Whatever makes the sandbox finds at descriptor 5 which calls of the system are
// refused inside (bubblewrap's --seccomp).
//
// A sandbox without a network has a loopback of its own. So that the program still reaches the server, <opt> is
// "--sandbox=<address>:<port>,..." and <ports> are the same ports, "8001,8002": inside it listens on these at 127.0.0.1, and
// hands the sockets out by descriptor 4; this process takes the connections and carries their bytes to these addresses.
//
// Standard input is a socket to the server. As long as that is open the program runs; when it is closed, also because
// the server is no more, everything is killed. If the program cannot be started its errno goes to the server that way.
// This process ends as the program did (code or signal), once no process is left.
//
// Whatever the program starts stays below this process, whichever session or group it makes itself a part of: who loses
// its parent becomes this one's child (PR_SET_CHILD_SUBREAPER). A static program without C++'s library, so that it
// starts within a millisecond and takes less than one of the function's megabytes.
#include <arpa/inet.h>
#include <dirent.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/keyctl.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstddef>
#include <iterator>

namespace {

constexpr int kServer = STDIN_FILENO;
constexpr const char* kSandbox = "--sandbox";
constexpr const char* kInsidePrefix = "_INSIDE_";  // src/engine/workers/sandbox.h
constexpr int kReport = STDERR_FILENO + 1;         // inside a sandbox: where an errno goes
constexpr int kDoor = kReport + 1;                 // and where listening sockets go
constexpr int kFilter = kDoor + 1;                 // and where it is read which calls are refused (src/engine/workers/sandbox.cc)
constexpr int kDoorsMax = 4;
// Connections that are carried at once. Of more the function's kernel keeps some waiting: who carries them is in none of its
// limits.
constexpr int kCarriedMax = 64;
constexpr int kBacklog = 64;
constexpr int kCannotStart = 127;  // as shells say it; the server goes by the errno

void limit(__rlimit_resource which, rlim_t value) {
  const rlimit both{value, value};
  ::setrlimit(which, &both);
}

bool write_line(const char* path, const char* text) {
  const int file = ::open(path, O_WRONLY | O_CLOEXEC);
  if (file < 0) return false;
  const auto size = static_cast<ssize_t>(::strlen(text));
  const bool written = ::write(file, text, static_cast<size_t>(size)) == size;
  ::close(file);
  return written;
}

// Who may not have a mount namespace may have one within a user namespace of its own, where it stays who it is.
bool enter_namespace() {
  if (::unshare(CLONE_NEWNS) == 0) return true;
  const unsigned user = ::getuid();
  const unsigned group = ::getgid();
  if (::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return false;
  char users[64];
  char groups[64];
  ::snprintf(users, sizeof users, "%u %u 1", user, user);
  ::snprintf(groups, sizeof groups, "%u %u 1", group, group);
  return write_line("/proc/self/uid_map", users) && write_line("/proc/self/setgroups", "deny") &&
         write_line("/proc/self/gid_map", groups);
}

// What a mount has that a user namespace may not take away from it.
unsigned long flags_of(const char* path) {
  struct statvfs about {};
  if (::statvfs(path, &about) != 0) return 0;
  unsigned long flags = 0;
  if (about.f_flag & ST_NOSUID) flags |= MS_NOSUID;
  if (about.f_flag & ST_NODEV) flags |= MS_NODEV;
  if (about.f_flag & ST_NOEXEC) flags |= MS_NOEXEC;
  if (about.f_flag & ST_NOATIME) flags |= MS_NOATIME;
  if (about.f_flag & ST_NODIRATIME) flags |= MS_NODIRATIME;
  if (about.f_flag & ST_RELATIME) flags |= MS_RELATIME;
  return flags;
}

// False: errno says why.
bool mount_opt(const char* directory) {
  return enter_namespace() && ::mount(nullptr, "/", nullptr, MS_REC | MS_SLAVE, nullptr) == 0 &&
         ::mount(directory, "/opt", nullptr, MS_BIND, nullptr) == 0 &&
         ::mount(nullptr, "/opt", nullptr, MS_REMOUNT | MS_BIND | MS_RDONLY | flags_of("/opt"), nullptr) == 0;
}

constexpr const char* kVar = "/var";
constexpr mode_t kForAll = 0755;

// Shows at `path` what stands under `name` in the working directory.
bool show_again(const char* name, const char* path) {
  struct stat about {};
  if (::lstat(name, &about) != 0) return false;
  if (S_ISLNK(about.st_mode)) {
    char target[PATH_MAX];
    const ssize_t size = ::readlink(name, target, sizeof target - 1);
    if (size < 0) return false;
    target[size] = '\0';
    return ::symlink(target, path) == 0;
  }
  if (S_ISDIR(about.st_mode)) {
    if (::mkdir(path, kForAll) != 0) return false;
  } else {
    const int file = ::open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (file < 0) return false;
    ::close(file);
  }
  return ::mount(name, path, nullptr, MS_BIND | MS_REC, nullptr) == 0;
}

// All that the working directory holds, below /var.
bool show_all_again() {
  DIR* const directory = ::opendir(".");
  if (!directory) return false;
  bool done = true;
  while (const dirent* const entry = done ? ::readdir(directory) : nullptr) {
    if (::strcmp(entry->d_name, ".") == 0 || ::strcmp(entry->d_name, "..") == 0) continue;
    char path[PATH_MAX];
    ::snprintf(path, sizeof path, "%s/%s", kVar, entry->d_name);
    done = show_again(entry->d_name, path);
  }
  ::closedir(directory);
  return done;
}

// "lang/bin/node=/usr/bin/node", to the line's end. What the working directory has a name for already stays the host's.
bool make_link(const char* line, const char* end) {
  char path[2 * PATH_MAX];
  const int size = ::snprintf(path, sizeof path, "%s/%.*s", kVar, static_cast<int>(end - line), line);
  char* const target = ::strchr(path, '=');
  if (size >= static_cast<int>(sizeof path) || !target) return false;
  *target = '\0';
  char* const name = path + ::strlen(kVar) + 1;
  char* slash = ::strchr(name, '/');
  if (slash) *slash = '\0';
  struct stat about {};
  if (::lstat(name, &about) == 0) return true;
  for (; slash; slash = ::strchr(slash + 1, '/')) {
    *slash = '\0';
    if (::mkdir(path, kForAll) != 0 && errno != EEXIST) return false;
    *slash = '/';
  }
  return ::symlink(target + 1, path) == 0;
}

bool make_links(const char* links) {
  for (const char* end = nullptr; *links != '\0'; links = end + 1) {
    end = ::strchr(links, '\n');
    if (!end || !make_link(links, end)) return false;
  }
  return true;
}

// In a mount namespace of this process's own: a /var with the host's and these links. What cannot be made whole is
// taken away.
void furnish_var(const char* links) {
  char here[PATH_MAX];
  if (*links == '\0' || !::getcwd(here, sizeof here) || ::chdir(kVar) != 0) return;
  if (::mount("tmpfs", kVar, "tmpfs", MS_NOSUID | MS_NODEV, "mode=0755") == 0) {
    // The working directory is what the mount hides.
    constexpr unsigned long kFlags = MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID | MS_NODEV;
    if (!show_all_again() || !make_links(links) || ::mount(nullptr, kVar, nullptr, kFlags, nullptr) != 0) {
      ::umount2(kVar, MNT_DETACH);
    }
  }
  (void)!::chdir(here);
}

bool is_sandboxed(const char* opt) { return ::strncmp(opt, kSandbox, ::strlen(kSandbox)) == 0; }

// "=<address>:<port>,..." behind the mark; empty: the network is the host's.
const char* doors_of(const char* opt) {
  const char* const rest = is_sandboxed(opt) ? opt + ::strlen(kSandbox) : "";
  return *rest == '=' ? rest + 1 : "";
}

sockaddr_in loopback(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

// Inside: listens there, and hands the socket out.
bool open_door(int port) {
  const int door = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const sockaddr_in address = loopback(port);
  if (door < 0 || ::bind(door, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      ::listen(door, kBacklog) != 0) {
    return false;
  }
  char byte = 0;
  iovec bytes{&byte, 1};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr message{};
  message.msg_iov = &bytes;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  cmsghdr* const head = CMSG_FIRSTHDR(&message);
  head->cmsg_level = SOL_SOCKET;
  head->cmsg_type = SCM_RIGHTS;
  head->cmsg_len = CMSG_LEN(sizeof(int));
  ::memcpy(CMSG_DATA(head), &door, sizeof door);
  const bool sent = ::sendmsg(kDoor, &message, MSG_NOSIGNAL) == 1;
  ::close(door);
  return sent;
}

// "8001,8002": all of them.
bool open_doors(const char* ports) {
  for (const char* at = ports; *at != '\0';) {
    char* end = nullptr;
    if (!open_door(static_cast<int>(::strtol(at, &end, 10)))) return false;
    at = *end == ',' ? end + 1 : end;
  }
  return true;
}

// Outside: the next of the sockets; -1: there is none.
int take_door(int line) {
  char byte = 0;
  iovec bytes{&byte, 1};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr message{};
  message.msg_iov = &bytes;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  if (::recvmsg(line, &message, MSG_CMSG_CLOEXEC) <= 0) return -1;
  const cmsghdr* const head = CMSG_FIRSTHDR(&message);
  if (!head || head->cmsg_type != SCM_RIGHTS) return -1;
  int door = -1;
  ::memcpy(&door, CMSG_DATA(head), sizeof door);
  return door;
}

// The n-th address of the list.
bool address_of(const char* doors, int number, sockaddr_in& address) {
  for (; number > 0 && doors; --number) doors = ::strchr(doors, ',') ? ::strchr(doors, ',') + 1 : nullptr;
  char host[64] = "";
  int port = 0;
  if (!doors || ::sscanf(doors, "%63[0-9.]:%d", host, &port) != 2) return false;
  address = loopback(port);
  return ::inet_pton(AF_INET, host, &address.sin_addr) == 1;
}

// Carries bytes one way until their end, and tells of that.
void carry(int from, int to) {
  static char bytes[64 << 10];
  for (ssize_t count = 0; (count = ::read(from, bytes, sizeof bytes)) > 0 || (count < 0 && errno == EINTR);) {
    for (ssize_t done = 0; done < count;) {
      const ssize_t sent = ::send(to, bytes + done, static_cast<size_t>(count - done), MSG_NOSIGNAL);
      if (sent < 0 && errno != EINTR) return;
      if (sent > 0) done += sent;
    }
  }
  ::shutdown(to, SHUT_WR);
}

// Who carries a connection, which ends with it; 0: nobody.
pid_t carriers[kCarriedMax];

pid_t* find_carrier(pid_t who) {
  pid_t* const found = std::find(std::begin(carriers), std::end(carriers), who);
  return found == std::end(carriers) ? nullptr : found;
}

// A process for each direction, which whoever asks for a connection's owner finds below this one.
void carry_connection(int door, const sockaddr_in& address) {
  const int inner = ::accept4(door, nullptr, nullptr, SOCK_CLOEXEC);
  if (inner < 0) return;
  const pid_t self = ::getpid();
  const pid_t carrier = ::fork();
  if (carrier == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != self) ::_exit(0);
    const int on = 1;
    const int outer = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (outer < 0 || ::connect(outer, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) ::_exit(0);
    ::setsockopt(outer, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    ::setsockopt(inner, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    const pid_t other = ::fork();
    if (other == 0) {
      carry(outer, inner);
      ::_exit(0);
    }
    carry(inner, outer);
    if (other > 0) ::waitpid(other, nullptr, 0);
    ::_exit(0);
  }
  if (pid_t* const place = find_carrier(0); place && carrier > 0) *place = carrier;
  ::close(inner);
}

// Calls that no function's work needs, and that are answered as a kernel without them answers, from which those who ask
// (Node.js for io_uring) go on without.
constexpr uint32_t kRefused[] = {
    // Memory that no process need have mapped or open, so that nobody counts it where no control group does.
    SYS_shmget, SYS_semget, SYS_msgget, SYS_io_uring_setup, SYS_io_uring_enter, SYS_io_uring_register,
    // Keys are a user's to the kernel, which is the server's in every sandbox.
    SYS_add_key, SYS_request_key, SYS_keyctl,
    // Ways into the kernel of which more have led through it than of others.
    SYS_userfaultfd, SYS_perf_event_open, SYS_bpf};

#if defined(__x86_64__)
constexpr uint32_t kArchitecture = AUDIT_ARCH_X86_64;
constexpr uint32_t kNumbersEnd = 0x40000000;  // x32's begin
#elif defined(__aarch64__)
constexpr uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
constexpr uint32_t kNumbersEnd = UINT32_MAX;
#else
#error "say which calls of the system are refused to functions on this architecture"
#endif

// A program that the kernel runs for each call inside. What is of another architecture, whose numbers mean other calls, is
// refused, too.
struct Filter {
  static constexpr size_t kChecks = std::size(kRefused) + 4;
  sock_filter program[kChecks + 2];

  Filter() {
    constexpr uint16_t kLoad = BPF_LD | BPF_W | BPF_ABS;
    size_t size = 0;
    const auto add = [&](uint16_t code, uint32_t value) { program[size++] = {code, 0, 0, value}; };
    const auto check = [&](uint16_t comparison, uint32_t value, bool is_refused_if) {
      const auto to_refusal = static_cast<uint8_t>(kChecks - size);  // counted from behind this one
      const auto code = static_cast<uint16_t>(BPF_JMP | BPF_K | comparison);
      program[size++] = {code, is_refused_if ? to_refusal : uint8_t{0}, is_refused_if ? uint8_t{0} : to_refusal, value};
    };
    add(kLoad, offsetof(seccomp_data, arch));
    check(BPF_JEQ, kArchitecture, false);
    add(kLoad, offsetof(seccomp_data, nr));
    check(BPF_JGE, kNumbersEnd, true);
    for (const uint32_t call : kRefused) check(BPF_JEQ, call, true);
    add(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    add(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS);
  }
};

// A pipe with the whole of it, to be read to its end once this process has become another; -1: errno says why.
int make_filter() {
  const Filter filter;
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return -1;
  return ::write(ends[1], filter.program, sizeof filter.program) == sizeof filter.program ? ends[0] : -1;
}

// Puts them where what makes the sandbox hands them on, or reads them, open over an exec; from above all places, so that none is in
// another's way. Returns the place of `report`.
int keep_for_inside(int report, int door, int filter) {
  constexpr int kAbove = kFilter + 1;
  const int high_report = ::fcntl(report, F_DUPFD_CLOEXEC, kAbove);
  const int high_door = door < 0 ? -1 : ::fcntl(door, F_DUPFD_CLOEXEC, kAbove);
  const int high_filter = ::fcntl(filter, F_DUPFD_CLOEXEC, kAbove);
  if (high_door >= 0) ::dup2(high_door, kDoor);
  ::dup2(high_filter, kFilter);
  return ::dup2(high_report, kReport);
}

// Whether the kernel runs this process in real time, before all others.
bool is_urgent() {
  const int policy = ::sched_getscheduler(0) & ~SCHED_RESET_ON_FORK;
  return policy == SCHED_FIFO || policy == SCHED_RR;
}

// Into each group. False: errno says why not.
bool enter_groups(const char* groups) {
  char path[4096];
  while (*groups != '\0') {
    const char* const end = ::strchr(groups, '\n');
    const auto size = static_cast<size_t>(end - groups);
    if (size >= sizeof path) {
      errno = ENAMETOOLONG;
      return false;
    }
    ::memcpy(path, groups, size);
    path[size] = '\0';
    if (!write_line(path, "0")) {
      // The kernel may have no group take what runs in real time: then nothing holds it, which stands in its log.
      if (errno != EINVAL || !is_urgent()) return false;
      ::dprintf(STDERR_FILENO, "supervisor: %s takes no process of real time; nothing holds this one\n", path);
    }
    groups = end + 1;
  }
  return true;
}

// What the program is to find, and what holds it: as this program's arguments say it.
struct Place {
  const char* opt;
  const char* links;
  const char* groups;
};

// In the child, until it is the program.
[[noreturn]] void become(const Place& place, char** command, pid_t parent, int report, int door) {
  const char* const opt = place.opt;
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::setpgid(0, 0);
  // First, since it may take back what the next line asks for.
  bool is_ready = enter_groups(place.groups) && (*opt == '\0' || is_sandboxed(opt) || mount_opt(opt));
  if (is_ready && *opt != '\0' && !is_sandboxed(opt)) furnish_var(place.links);
  int filter = -1;
  if (is_ready && is_sandboxed(opt)) {
    // The server's session may have keys of its user, which are possessed in whichever namespaces. An empty one instead; where
    // there can be none (a user has some 200 keys) kRefused alone keeps them out of reach.
    ::syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, nullptr);
    filter = make_filter();
    is_ready = filter >= 0;
  }
  const int reason_before = errno;
  // Who kills the supervisor kills what it started.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(kCannotStart);
  const int nothing = ::open("/dev/null", O_RDONLY);
  ::dup2(nothing, STDIN_FILENO);
  if (nothing > STDERR_FILENO) ::close(nothing);
  if (is_sandboxed(opt)) report = keep_for_inside(report, door, filter);
  if (is_ready) ::execv(command[0], command);
  const int reason = is_ready ? errno : reason_before;
  (void)!::write(report, &reason, sizeof reason);
  ::_exit(kCannotStart);
}

// What the function's program has come to inside, if it could not be started: known once all is over.
void tell_reason(int report) {
  int reason = 0;
  if (report >= 0 && ::read(report, &reason, sizeof reason) == static_cast<ssize_t>(sizeof reason)) {
    (void)!::send(kServer, &reason, sizeof reason, MSG_NOSIGNAL);
  }
}

// What makes the sandbox ends as shells say it of a signal.
int status_inside(int status) {
  constexpr int kOfSignal = 128;
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
  return code > kOfSignal && code < kOfSignal + NSIG ? code - kOfSignal : status;
}

// What comes out of a sandbox; -1: nothing does.
struct Outside {
  int report = -1;  // an errno, if the program could not be started
  int line = -1;    // sockets
};

// Starts the program. The errno of a start that failed goes to the server.
pid_t start(const Place& place, char** command, Outside& outside) {
  const char* const opt = place.opt;
  int ends[2];
  int lines[2] = {-1, -1};
  if (::pipe2(ends, O_CLOEXEC) != 0) return -1;
  if (*doors_of(opt) != '\0' && ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, lines) != 0) return -1;
  const pid_t self = ::getpid();
  const pid_t child = ::fork();
  if (child == 0) become(place, command, self, ends[1], lines[1]);
  int reason = child < 0 ? errno : 0;
  ::close(ends[1]);
  if (child > 0 && is_sandboxed(opt)) {
    ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
    if (lines[1] >= 0) ::close(lines[1]);
    outside = {ends[0], lines[0]};
    return child;
  }
  if (child > 0) {
    while (::read(ends[0], &reason, sizeof reason) < 0 && errno == EINTR) {
    }
  }
  ::close(ends[0]);
  if (reason != 0) (void)!::send(kServer, &reason, sizeof reason, MSG_NOSIGNAL);
  return child;
}

// Sends SIGKILL to each child of this process. False: the system does not tell which there are.
bool kill_children() {
  char path[64];
  ::snprintf(path, sizeof path, "/proc/self/task/%d/children", static_cast<int>(::getpid()));
  FILE* const list = ::fopen(path, "re");
  if (!list) return false;
  int child = 0;
  while (::fscanf(list, "%d", &child) == 1) ::kill(child, SIGKILL);
  ::fclose(list);
  return true;
}

// Takes the children that have ended. True: the program is one of them.
bool take_ended(pid_t program, int& status) {
  bool over = false;
  int ended = 0;
  for (pid_t who = 0; (who = ::waitpid(-1, &ended, WNOHANG)) > 0;) {
    if (pid_t* const place = find_carrier(who)) *place = 0;
    if (who != program) continue;
    status = ended;
    over = true;
  }
  return over;
}

// Kills what there is below, round by round: the children of those that die become children of this process.
void end_all(pid_t program, int& status) {
  for (;;) {
    if (!kill_children()) ::kill(-program, SIGKILL);
    int ended = 0;
    const pid_t who = ::waitpid(-1, &ended, 0);
    if (who == program) status = ended;
    if (who < 0 && errno == ECHILD) return;
    (void)take_ended(program, status);  // of hundreds most have ended by now
  }
}

// Until the program has ended or the server wants it to.
void watch(pid_t program, int signals, const char* doors, int line, int& status) {
  pollfd all[3 + kDoorsMax] = {{kServer, POLLIN, 0}, {signals, POLLIN, 0}, {line, POLLIN, 0}};
  pollfd* const open = all + 3;
  int count = 0;
  for (;;) {
    const int asked = find_carrier(0) ? count : 0;
    if (::poll(all, static_cast<nfds_t>(3 + asked), -1) < 0) continue;
    signalfd_siginfo news;
    if (all[1].revents != 0 && ::read(signals, &news, sizeof news) > 0 && take_ended(program, status)) return;
    if (all[0].revents != 0) return;
    for (int i = 0; i < asked && find_carrier(0); ++i) {
      sockaddr_in address;
      if (open[i].revents != 0 && address_of(doors, i, address)) carry_connection(open[i].fd, address);
    }
    if (all[2].revents == 0) continue;
    const int door = count < kDoorsMax ? take_door(line) : -1;
    if (door >= 0) {
      ::fcntl(door, F_SETFL, O_NONBLOCK);
      open[count++] = {door, POLLIN, 0};
    } else {
      all[2].fd = -1;  // no more come
    }
  }
}

// In the sandbox: becomes the function's program.
[[noreturn]] void become_inside(long long processes, const char* ports, char** command, char** environment) {
  const bool opened = open_doors(ports);
  const int reason_of_doors = errno;
  ::close(kDoor);
  limit(RLIMIT_NPROC, static_cast<rlim_t>(processes));
  ::fcntl(kReport, F_SETFD, FD_CLOEXEC);
  const size_t prefix = ::strlen(kInsidePrefix);
  for (char** variable = environment; *variable; ++variable) {
    if (::strncmp(*variable, kInsidePrefix, prefix) == 0) *variable += prefix;
  }
  if (opened) ::execve(command[0], command, environment);
  const int reason = opened ? errno : reason_of_doors;
  (void)!::write(kReport, &reason, sizeof reason);
  ::_exit(kCannotStart);
}

}  // namespace

int main(int count, char** arguments) {
  if (count == 2 && ::strcmp(arguments[1], "--may-mount") == 0) {
    if (mount_opt("/opt")) return 0;
    ::perror("mount");
    return 1;
  }
  if (count >= 5 && ::strcmp(arguments[1], "--inside") == 0) {
    become_inside(::atoll(arguments[2]), arguments[3], arguments + 4, ::environ);
  }
  if (count < 7) {
    ::fputs("usage: supervisor <open files> <bytes of a file, or 0> <opt> <links> <groups> <program> <argument>...\n",
            stderr);
    return 2;
  }
  sigset_t child_ended;
  sigemptyset(&child_ended);
  sigaddset(&child_ended, SIGCHLD);
  ::sigprocmask(SIG_BLOCK, &child_ended, nullptr);
  const int signals = ::signalfd(-1, &child_ended, SFD_CLOEXEC);
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_NOFILE, static_cast<rlim_t>(::atoll(arguments[1])));
  // Who writes beyond gets an error instead of a signal: what is ignored here is ignored by whatever is started.
  if (const long long bytes = ::atoll(arguments[2]); bytes > 0) {
    ::signal(SIGXFSZ, SIG_IGN);
    limit(RLIMIT_FSIZE, static_cast<rlim_t>(bytes));
  }

  Outside outside;
  const pid_t program = start({arguments[3], arguments[4], arguments[5]}, arguments + 6, outside);
  if (program < 0) return kCannotStart;
  // The output ends when those who write it have ended, and the directory may go before this process does.
  const int nothing = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  ::dup2(nothing, STDOUT_FILENO);
  ::dup2(nothing, STDERR_FILENO);
  (void)!::chdir("/");

  int status = 0;
  watch(program, signals, doors_of(arguments[3]), outside.line, status);
  end_all(program, status);
  tell_reason(outside.report);
  if (is_sandboxed(arguments[3])) status = status_inside(status);
  if (WIFSIGNALED(status)) {
    ::signal(WTERMSIG(status), SIG_DFL);
    ::kill(::getpid(), WTERMSIG(status));
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : kCannotStart;
}

/*
 * kraft-relay PORT DIRECTORY
 *
 * Carries every TCP connection to 127.0.0.1:PORT to the unix socket DIRECTORY/s.sock, byte for byte, and understands
 * none of them. It is the only process of a container without a network, whose namespace a worker joins.
 *
 * DIRECTORY/c.sock is how Kraft and the relay speak (README.md has the lines): the worker cannot reach it, because
 * nothing that comes in on PORT is carried anywhere but to s.sock.
 *
 * One thread, one epoll, edge-triggered. Nothing is held in memory of what flows but the part of one chunk that a
 * receiver did not take; while it does not, its sender is not read: that is the back-pressure.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define PROTOCOL "1"

enum {
  CONNECTIONS_MAX = 1024,       /* more wait in the listener's backlog */
  OWN_DESCRIPTORS = 16,         /* kept apart from those of connections */
  EVENTS_MAX = 64,
  CHUNK = 128 * 1024,           /* bytes moved at once */
  SMALL_CHUNK = 4 * 1024,       /* the same while too much is kept */
  KEPT_MAX = 8 * 1024 * 1024,   /* bytes kept for slow receivers before chunks become small */
  SPARES_MAX = 2,               /* buffers kept for the next one that is slow */
  CROWD = 64,                   /* connections beyond so many get smaller buffers in the kernel */
  CROWD_MEMORY = 8 * 1024 * 1024,
  CHUNKS_A_TURN = 16,           /* then it is the next connection's turn */
  ACCEPTS_A_TURN = 64,
  ACCEPT_PAUSE_MS = 100,        /* after a failed accept */
  RETRY_MIN_MS = 50,            /* dialling Kraft again, doubling */
  RETRY_MAX_MS = 1000,
  HELD_MAX_MS = 60 * 1000,      /* a connection waits that long for Kraft to come back */
  LINGER_MS = 2000,             /* a client may take that long to read an answer it did not expect */
  PROBE_MAX_MS = 5000,
  LINE_SIZE = 128,               /* of the control connection */
};

#define NEVER INT64_MAX

/* ------------------------------------------------------------------------------------------------ what there is */

enum kind { LISTENER, CONTROL, PROBE, END };

/* What an event points to; the first member of everything that is polled. */
struct watched {
  enum kind kind;
  int fd; /* -1: closed, and events that are still under way for it are stale */
};

struct connection;

struct end {
  struct watched watched;
  struct connection *connection;
  bool readable, writable; /* as far as known: cleared by the call that would block */
  bool hung_up;            /* an end of stream is on its way, so that a short read does not mean "no more for now" */
  bool ended;              /* nothing more will be read from it */
  bool shut;               /* nothing more will be written to it */
  char *kept;              /* what the other end sent and this one did not take yet */
  size_t kept_from, kept_to;
};

enum place { NOWHERE, FREE, OPEN, HELD, LINGERING };

struct connection {
  struct end client; /* TCP, a process of the worker */
  struct end daemon; /* s.sock */
  enum place place;
  int64_t until; /* of a held or lingering one */
  struct connection *previous, *next;
  bool in_turn;
  struct connection *next_turn;
};

/* Connections of one place, oldest first. */
struct list {
  struct connection *first, *last;
};

/* Dialling again with growing pauses. */
struct retry {
  int64_t at;
  int pause_ms;
};

static struct connection connections[CONNECTIONS_MAX];
static struct list lists[LINGERING + 1];
static struct connection *turn_first, *turn_last;
static size_t in_use; /* connections that are not free */
static char *spares[SPARES_MAX];
static struct watched listener = {LISTENER, -1}, control = {CONTROL, -1}, probe = {PROBE, -1};
static bool listening = true; /* polled for new connections */
static int64_t listen_again_at = NEVER, probe_until = NEVER;
static struct retry dial = {NEVER, RETRY_MIN_MS}, call = {0, RETRY_MIN_MS};
static char control_line[LINE_SIZE], probe_nonce[LINE_SIZE], probe_answer[LINE_SIZE];
static size_t control_size, probe_size, kept_bytes;
static struct sockaddr_un daemon_address = {AF_UNIX, ""}, control_address = {AF_UNIX, ""};
static struct sockaddr_in listen_address;
static char chunk[CHUNK];
static int epoll;
static int64_t now; /* milliseconds, read once a round */

/* ------------------------------------------------------------------------------------------------------ plumbing */

static void die(const char *what) {
  fprintf(stderr, "kraft-relay: %s: %s\n", what, strerror(errno));
  exit(1);
}

static int64_t read_clock(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

static int64_t earlier(int64_t a, int64_t b) { return a < b ? a : b; }

static void back_off(struct retry *retry) {
  retry->at = now + retry->pause_ms;
  retry->pause_ms = retry->pause_ms * 2 < RETRY_MAX_MS ? retry->pause_ms * 2 : RETRY_MAX_MS;
}

static void settle(struct retry *retry) { *retry = (struct retry){NEVER, RETRY_MIN_MS}; }

static bool watch(struct watched *watched, uint32_t events) {
  struct epoll_event event = {.events = events, .data.ptr = watched};
  return epoll_ctl(epoll, EPOLL_CTL_ADD, watched->fd, &event) == 0;
}

static void close_watched(struct watched *watched) {
  if (watched->fd >= 0) close(watched->fd);
  watched->fd = -1;
}

static int connect_unix(const struct sockaddr_un *address) {
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0) return -1;
  if (connect(fd, (const struct sockaddr *)address, sizeof *address) == 0) return fd;
  close(fd);
  return -1;
}

static void move_to(struct connection *connection, enum place place) {
  struct list *from = &lists[connection->place], *to = &lists[place];
  *(connection->previous ? &connection->previous->next : &from->first) = connection->next;
  *(connection->next ? &connection->next->previous : &from->last) = connection->previous;
  connection->previous = to->last;
  connection->next = NULL;
  *(to->last ? &to->last->next : &to->first) = connection;
  to->last = connection;
  connection->place = place;
}

static void take_turn(struct connection *connection) {
  if (connection->in_turn) return;
  connection->in_turn = true;
  connection->next_turn = NULL;
  *(turn_first ? &turn_last->next_turn : &turn_first) = connection;
  turn_last = connection;
}

/* A buffer for what a receiver did not take. A new one each time would cost more than the copying. */
static char *take_buffer(void) {
  for (int at = 0; at < SPARES_MAX; at++) {
    char *spare = spares[at];
    spares[at] = NULL;
    if (spare != NULL) return spare;
  }
  return malloc(CHUNK);
}

static void give_buffer_back(char *buffer) {
  for (int at = 0; at < SPARES_MAX; at++) {
    if (spares[at] != NULL) continue;
    spares[at] = buffer;
    return;
  }
  free(buffer);
}

static void drop_kept(struct end *end) {
  kept_bytes -= end->kept_to - end->kept_from;
  if (end->kept != NULL) give_buffer_back(end->kept);
  end->kept = NULL;
  end->kept_from = end->kept_to = 0;
}

/* What the kernel buffers for connections counts as the container's memory, and their senders may all be stuck. */
static void limit_buffers(int fd) {
  if (in_use <= CROWD) return;
  int size = (int)(CROWD_MEMORY / in_use / 2); /* the kernel doubles it */
  setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &size, sizeof size);
  setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof size);
}

static void poll_listener(bool wanted) {
  struct epoll_event event = {.events = wanted ? EPOLLIN : 0, .data.ptr = &listener};
  if (wanted != listening) epoll_ctl(epoll, EPOLL_CTL_MOD, listener.fd, &event);
  listening = wanted;
  listen_again_at = NEVER;
}

static void close_connection(struct connection *connection) {
  close_watched(&connection->client.watched);
  close_watched(&connection->daemon.watched);
  drop_kept(&connection->client);
  drop_kept(&connection->daemon);
}

/* A client that vanished, or one that is dropped, is told so by a reset: an end of stream would look like success. */
static void abort_connection(struct connection *connection) {
  struct linger none = {.l_onoff = 1, .l_linger = 0};
  setsockopt(connection->client.watched.fd, SOL_SOCKET, SO_LINGER, &none, sizeof none);
  close_connection(connection);
}

/* Outside of its turn: events of this round may still point to it, so its place is free only after them. */
static void drop_connection(struct connection *connection) {
  abort_connection(connection);
  move_to(connection, OPEN);
  take_turn(connection);
}

/* ------------------------------------------------------------------------------------------------------- carrying */

enum outcome { WAITS, AGAIN, FAILED };

/* Kraft took its end away: what the client still sends goes nowhere, but it gets all that came before. */
static void become_deaf(struct end *daemon) {
  drop_kept(daemon);
  daemon->shut = true;
}

/* Sends, and keeps what is not taken. False when the receiver is gone. */
static bool give(struct end *to, const char *bytes, size_t size) {
  while (size > 0 && to->writable) {
    ssize_t sent = send(to->watched.fd, bytes, size, MSG_NOSIGNAL);
    if (sent >= 0) {
      bytes += sent;
      size -= (size_t)sent;
    } else if (errno == EAGAIN) {
      to->writable = false;
    } else if (errno != EINTR) {
      return false;
    }
  }
  if (size == 0) return true;
  to->kept = take_buffer();
  if (to->kept == NULL) return false;
  memcpy(to->kept, bytes, size);
  to->kept_to = size;
  kept_bytes += size;
  return true;
}

/* Sends what was kept. False when the receiver is gone. */
static bool give_kept(struct end *to) {
  while (to->kept != NULL && to->writable) {
    ssize_t sent = send(to->watched.fd, to->kept + to->kept_from, to->kept_to - to->kept_from, MSG_NOSIGNAL);
    if (sent >= 0) {
      to->kept_from += (size_t)sent;
      kept_bytes -= (size_t)sent;
      if (to->kept_from == to->kept_to) drop_kept(to);
    } else if (errno == EAGAIN) {
      to->writable = false;
    } else if (errno != EINTR) {
      return false;
    }
  }
  return true;
}

static enum outcome carry(struct end *from, struct end *to) {
  bool to_daemon = to == &to->connection->daemon;
  for (int count = 0; count < CHUNKS_A_TURN; count++) {
    if (!give_kept(to)) {
      if (!to_daemon) return FAILED;
      become_deaf(to);
    }
    if (to->kept != NULL) return WAITS;
    if (from->ended) {
      if (!to->shut) shutdown(to->watched.fd, SHUT_WR);
      to->shut = true;
      return WAITS;
    }
    if (!from->readable) return WAITS;
    size_t size = kept_bytes < KEPT_MAX ? CHUNK : SMALL_CHUNK;
    ssize_t got = recv(from->watched.fd, chunk, size, 0);
    if (got > 0) {
      if ((size_t)got < size && !from->hung_up) from->readable = false;
      if (to->shut || give(to, chunk, (size_t)got)) continue;
      if (!to_daemon) return FAILED;
      become_deaf(to);
    } else if (got == 0 || (errno == ECONNRESET && !to_daemon)) {
      from->ended = true;
    } else if (errno == EAGAIN) {
      from->readable = false;
    } else if (errno != EINTR) {
      return FAILED;
    }
  }
  return AGAIN;
}

static void serve_connection(struct connection *connection) {
  struct end *client = &connection->client, *daemon = &connection->daemon;
  enum outcome up = carry(client, daemon), down = carry(daemon, client);
  if (up == FAILED || down == FAILED) {
    abort_connection(connection);
  } else if (client->ended && client->shut && daemon->shut) {
    close_connection(connection);
  } else {
    if (up == AGAIN || down == AGAIN) take_turn(connection);
    if (client->shut && daemon->shut && connection->place == OPEN) {
      connection->until = now + LINGER_MS;
      move_to(connection, LINGERING);
    }
  }
}

/* ------------------------------------------------------------------------------------------------ new connections */

static bool dial_daemon(struct connection *connection) {
  struct end *daemon = &connection->daemon;
  daemon->watched.fd = connect_unix(&daemon_address);
  if (daemon->watched.fd < 0) return false;
  limit_buffers(daemon->watched.fd);
  if (!watch(&daemon->watched, EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET)) {
    close_watched(&daemon->watched);
    return false;
  }
  daemon->writable = true;
  move_to(connection, OPEN);
  take_turn(connection);
  return true;
}

static void dial_held(void) {
  struct connection *connection;
  while ((connection = lists[HELD].first) != NULL) {
    if (!dial_daemon(connection)) return back_off(&dial);
    settle(&dial);
  }
  settle(&dial);
}

static void hold(struct connection *connection) {
  connection->until = now + HELD_MAX_MS;
  move_to(connection, HELD);
  if (dial.at == NEVER) back_off(&dial);
}

static void start_connection(int fd) {
  struct connection *connection = lists[FREE].last; /* the one used last: few pages are ever touched */
  int yes = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  in_use++;
  limit_buffers(fd);
  connection->client = (struct end){.watched = {END, fd}, .connection = connection, .writable = true};
  connection->daemon = (struct end){.watched = {END, -1}, .connection = connection};
  move_to(connection, OPEN);
  if (!watch(&connection->client.watched, EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET)) return drop_connection(connection);
  /* Whoever came first is carried first. */
  if (lists[HELD].first != NULL || !dial_daemon(connection)) hold(connection);
}

static void accept_connections(void) {
  for (int count = 0; count < ACCEPTS_A_TURN; count++) {
    if (lists[FREE].first == NULL) return poll_listener(false);
    int fd = accept4(listener.fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd >= 0) {
      start_connection(fd);
    } else if (errno == EAGAIN) {
      return;
    } else if (errno != EINTR && errno != ECONNABORTED) {
      poll_listener(false);
      listen_again_at = now + ACCEPT_PAUSE_MS;
      return;
    }
  }
}

/* --------------------------------------------------------------------------------------------------------- control */

static void hang_up_control(void) {
  close_watched(&control);
  control_size = 0;
  back_off(&call);
}

static void say(const char *line) {
  size_t size = strlen(line);
  if (control.fd >= 0 && send(control.fd, line, size, MSG_NOSIGNAL) != (ssize_t)size) hang_up_control();
}

static void call_control(void) {
  control.fd = connect_unix(&control_address);
  if (control.fd < 0 || !watch(&control, EPOLLIN)) return hang_up_control();
  settle(&call);
  say("kraft-relay " PROTOCOL " ready\n");
  dial_held();
}

static void end_probe(int status) {
  char line[LINE_SIZE + 32];
  close_watched(&probe);
  probe_until = NEVER;
  snprintf(line, sizeof line, "probe %s %d\n", probe_nonce, status);
  say(line);
}

/* Goes the way that a process of the worker goes, and hears what Kraft answers to a name that no list can allow. */
static void start_probe(const char *nonce) {
  close_watched(&probe);
  snprintf(probe_nonce, sizeof probe_nonce, "%s", nonce);
  probe_size = 0;
  probe_until = now + PROBE_MAX_MS;
  probe.fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (probe.fd < 0) return end_probe(0);
  int failed = connect(probe.fd, (struct sockaddr *)&listen_address, sizeof listen_address);
  if ((failed != 0 && errno != EINPROGRESS) || !watch(&probe, EPOLLOUT)) end_probe(0);
}

static void serve_probe(uint32_t events) {
  static const char request[] =
      "CONNECT selftest.kraft.invalid:443 HTTP/1.1\r\nHost: selftest.kraft.invalid:443\r\n\r\n";
  if (events & EPOLLOUT) {
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = &probe};
    if (send(probe.fd, request, sizeof request - 1, MSG_NOSIGNAL) != sizeof request - 1) return end_probe(0);
    epoll_ctl(epoll, EPOLL_CTL_MOD, probe.fd, &event);
    return;
  }
  ssize_t got = recv(probe.fd, probe_answer + probe_size, sizeof probe_answer - 1 - probe_size, 0);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (got <= 0) return end_probe(0);
  probe_size += (size_t)got;
  probe_answer[probe_size] = '\0';
  int status = 0;
  bool whole = strchr(probe_answer, '\n') != NULL || probe_size == sizeof probe_answer - 1;
  if (whole) end_probe(sscanf(probe_answer, "HTTP/1.%*1d %3d", &status) == 1 ? status : 0);
}

static void obey(const char *line) {
  static const char word[] = "probe ";
  const char *nonce = line + sizeof word - 1;
  if (strncmp(line, word, sizeof word - 1) != 0) return; /* of a later protocol */
  if (*nonce != '\0' && nonce[strspn(nonce, "0123456789abcdef")] == '\0') start_probe(nonce);
}

static void serve_control(void) {
  ssize_t got = recv(control.fd, control_line + control_size, sizeof control_line - control_size, 0);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (got <= 0) return hang_up_control();
  control_size += (size_t)got;
  char *end;
  while (control.fd >= 0 && (end = memchr(control_line, '\n', control_size)) != NULL) {
    size_t size = (size_t)(end - control_line) + 1;
    *end = '\0';
    obey(control_line);
    if (control.fd < 0) return;
    memmove(control_line, control_line + size, control_size -= size);
  }
  if (control_size == sizeof control_line) hang_up_control();
}

/* ------------------------------------------------------------------------------------------------------ the rounds */

static void serve_end(struct end *end, uint32_t events) {
  if (events & (EPOLLIN | EPOLLRDHUP | EPOLLHUP | EPOLLERR)) end->readable = true;
  if (events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) end->hung_up = true;
  if (events & (EPOLLOUT | EPOLLHUP | EPOLLERR)) end->writable = true;
  if (end->connection->place != HELD) take_turn(end->connection);
  else if (events & (EPOLLHUP | EPOLLERR)) drop_connection(end->connection);
}

static void dispatch(struct watched *watched, uint32_t events) {
  if (watched->fd < 0) return;
  switch (watched->kind) {
    case LISTENER: return accept_connections();
    case CONTROL: return serve_control();
    case PROBE: return serve_probe(events);
    case END: return serve_end((struct end *)watched, events);
  }
}

static void free_connection(struct connection *connection) {
  move_to(connection, FREE);
  in_use--;
  if (listen_again_at == NEVER) poll_listener(true);
}

/* One turn for each connection that has something to do. */
static void run_turns(void) {
  struct connection *connection = turn_first, *next;
  for (turn_first = NULL; connection != NULL; connection = next) {
    next = connection->next_turn;
    connection->in_turn = false;
    if (connection->client.watched.fd >= 0) serve_connection(connection);
    if (connection->client.watched.fd < 0) free_connection(connection);
  }
}

static void run_timers(void) {
  struct connection *connection;
  if (now >= call.at) call_control();
  if (now >= dial.at) dial_held();
  if (now >= probe_until) end_probe(0);
  if (now >= listen_again_at) poll_listener(lists[FREE].first != NULL);
  for (enum place place = HELD; place <= LINGERING; place++) {
    while ((connection = lists[place].first) != NULL && now >= connection->until) drop_connection(connection);
  }
}

static int find_timeout(void) {
  if (turn_first != NULL) return 0;
  int64_t at = earlier(earlier(call.at, dial.at), earlier(probe_until, listen_again_at));
  for (enum place place = HELD; place <= LINGERING; place++) {
    if (lists[place].first != NULL) at = earlier(at, lists[place].first->until);
  }
  if (at == NEVER) return -1;
  return at > now ? (int)(at - now) : 0;
}

/* ----------------------------------------------------------------------------------------------------------- start */

static void leave(int signal) {
  (void)signal;
  _exit(0);
}

static void prepare_signals(void) {
  /* The first process of a container has no default for a signal: without a handler SIGTERM would do nothing. */
  struct sigaction end = {.sa_handler = leave}, ignore = {.sa_handler = SIG_IGN};
  sigaction(SIGTERM, &end, NULL);
  sigaction(SIGINT, &end, NULL);
  sigaction(SIGPIPE, &ignore, NULL);
}

static void prepare_addresses(const char *port, const char *directory) {
  char *rest;
  unsigned long number = strtoul(port, &rest, 10);
  if (*port == '\0' || *rest != '\0' || number == 0 || number > 65535) errno = EINVAL, die("the port");
  listen_address = (struct sockaddr_in){
      .sin_family = AF_INET, .sin_port = htons((uint16_t)number), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  size_t room = sizeof daemon_address.sun_path;
  int size = snprintf(daemon_address.sun_path, room, "%s/s.sock", directory);
  snprintf(control_address.sun_path, room, "%s/c.sock", directory);
  if (size < 0 || (size_t)size >= room) errno = ENAMETOOLONG, die(directory);
}

static void prepare_connections(void) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) die("the limit of descriptors");
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  size_t most = limit.rlim_cur < OWN_DESCRIPTORS + 2 ? 0 : (limit.rlim_cur - OWN_DESCRIPTORS) / 2;
  if (most == 0) errno = EMFILE, die("the limit of descriptors");
  for (size_t at = 0; at < most && at < CONNECTIONS_MAX; at++) move_to(&connections[at], FREE);
}

static void prepare_listener(void) {
  int yes = 1;
  listener.fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (listener.fd < 0) die("a socket");
  setsockopt(listener.fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (bind(listener.fd, (struct sockaddr *)&listen_address, sizeof listen_address) != 0) die("bind to 127.0.0.1");
  if (listen(listener.fd, SOMAXCONN) != 0) die("listen");
  epoll = epoll_create1(EPOLL_CLOEXEC);
  if (epoll < 0 || !watch(&listener, EPOLLIN)) die("epoll");
}

int main(int count, char **arguments) {
  struct epoll_event events[EVENTS_MAX];
  if (count != 3) {
    fputs("usage: kraft-relay PORT DIRECTORY\n", stderr);
    return 2;
  }
  prepare_signals();
  prepare_addresses(arguments[1], arguments[2]);
  prepare_connections();
  prepare_listener();
  for (;;) {
    now = read_clock();
    run_timers();
    int ready = epoll_wait(epoll, events, EVENTS_MAX, find_timeout());
    if (ready < 0 && errno != EINTR) die("epoll");
    now = read_clock();
    for (int at = 0; at < ready; at++) dispatch(events[at].data.ptr, events[at].events);
    run_turns();
  }
}

/*
 * Load for relays, on threads that block: it measures what is between its two ends, and is none of them.
 *
 *   load serve PATH THREADS                 answers at a unix socket: echoes a request, or takes a stream to its end
 *   load client TARGET connections THREADS COUNT   COUNT requests, each on a connection of its own
 *   load client TARGET stream THREADS BYTES        BYTES on each of THREADS connections
 *
 * TARGET is a port of 127.0.0.1 or the path of a unix socket. A client prints seconds and the median of a request in
 * microseconds.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum { REQUEST = 64, BUFFER = 256 * 1024 };

static const char *target;
static int listener, streaming;
static atomic_long left;
static long bytes, *times;
static atomic_long timed;

static void die(const char *what) {
  perror(what);
  exit(1);
}

static double seconds(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static struct sockaddr_un unix_address(const char *path) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
  return address;
}

static int dial(void) {
  int fd, yes = 1;
  if (target[0] == '/') {
    struct sockaddr_un address = unix_address(target);
    fd = socket(AF_UNIX, SOCK_STREAM, 0);
    if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof address) != 0) die("connect");
    return fd;
  }
  struct sockaddr_in address = {
      .sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(target)), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  fd = socket(AF_INET, SOCK_STREAM, 0);
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof address) != 0) die("connect");
  return fd;
}

static void send_all(int fd, const char *from, size_t size) {
  while (size > 0) {
    ssize_t sent = send(fd, from, size, 0);
    if (sent <= 0) die("send");
    from += sent;
    size -= (size_t)sent;
  }
}

/* A request begins with 'r' and has 64 bytes; anything else is a stream, which is acknowledged at its end. */
static void *serve(void *nothing) {
  char *buffer = malloc(BUFFER);
  for (;;) {
    int fd = accept(listener, NULL, NULL);
    if (fd < 0) continue;
    ssize_t got = recv(fd, buffer, BUFFER, 0);
    if (got > 0 && buffer[0] == 'r') {
      while (got < REQUEST) {
        ssize_t more = recv(fd, buffer + got, (size_t)(REQUEST - got), 0);
        if (more <= 0) break;
        got += more;
      }
      send(fd, buffer, REQUEST, 0);
    } else if (got > 0) {
      while (recv(fd, buffer, BUFFER, 0) > 0) continue;
      send(fd, "k", 1, 0);
    }
    close(fd);
  }
  return nothing;
}

static void *request(void *nothing) {
  char buffer[REQUEST] = "r";
  while (atomic_fetch_sub(&left, 1) > 0) {
    double begin = seconds();
    int fd = dial();
    send_all(fd, buffer, sizeof buffer);
    for (size_t got = 0; got < sizeof buffer;) {
      ssize_t more = recv(fd, buffer + got, sizeof buffer - got, 0);
      if (more <= 0) die("answer");
      got += (size_t)more;
    }
    close(fd);
    times[atomic_fetch_add(&timed, 1)] = (long)((seconds() - begin) * 1e9);
  }
  return nothing;
}

static void *stream(void *nothing) {
  char *buffer = calloc(1, BUFFER);
  int fd = dial();
  for (long rest = bytes; rest > 0; rest -= BUFFER) send_all(fd, buffer, rest < BUFFER ? (size_t)rest : BUFFER);
  shutdown(fd, SHUT_WR);
  if (recv(fd, buffer, 1, 0) != 1) die("acknowledgement");
  close(fd);
  free(buffer);
  return nothing;
}

static void run_threads(int count, void *(*body)(void *)) {
  pthread_t threads[count];
  for (int at = 0; at < count; at++) pthread_create(&threads[at], NULL, body, NULL);
  for (int at = 0; at < count; at++) pthread_join(threads[at], NULL);
}

static int compare(const void *a, const void *b) {
  long difference = *(const long *)a - *(const long *)b;
  return (difference > 0) - (difference < 0);
}

int main(int count, char **arguments) {
  signal(SIGPIPE, SIG_IGN);
  if (count == 4 && strcmp(arguments[1], "serve") == 0) {
    struct sockaddr_un address = unix_address(arguments[2]);
    listener = socket(AF_UNIX, SOCK_STREAM, 0);
    if (bind(listener, (struct sockaddr *)&address, sizeof address) != 0 || listen(listener, 1024) != 0) die("listen");
    run_threads(atoi(arguments[3]), serve);
  }
  if (count != 6) return 2;
  target = arguments[2];
  streaming = strcmp(arguments[3], "stream") == 0;
  bytes = atol(arguments[5]);
  left = bytes;
  times = streaming ? NULL : calloc((size_t)bytes + 1, sizeof *times);
  double begin = seconds();
  run_threads(atoi(arguments[4]), streaming ? stream : request);
  double took = seconds() - begin;
  if (times != NULL) qsort(times, (size_t)timed, sizeof *times, compare);
  printf("%.6f %.1f\n", took, times == NULL ? 0.0 : (double)times[timed / 2] / 1000);
  return 0;
}

/* Listens to many event streams, and times how soon a commit is told of on all of them.

   listen PORT STREAMS ROUNDS PAUSE UPLOAD-PATH
   Reads tokens from stdin, one a line: the first one uploads, the others listen, up to 20 streams each. Waits for every
   stream's `hello` and prints "ready". In each round, after a pause in milliseconds, it uploads one task and waits for
   a `poke` on every stream. Then prints, in milliseconds from the sending of the upload, the medians and the 99th
   percentiles of pokes and of answers, and how many pokes did not come within five seconds. With 0 rounds it holds the
   streams until stdin ends, reading what comes, and prints how many of them were closed. */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { PER_TOKEN = 20, TOKENS = 20000, LINE = 1024, CARRY = 16, READ = 65536, LIMIT = 5000 };

struct stream { int socket, greeted, poked, closed, kept; char tail[CARRY]; };

static char tokens[TOKENS][LINE];
static int port, count, greeted, poked, closed, queue;
static struct stream *streams;
static double *times, started;

static void fail(const char *what) { perror(what); exit(1); }

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1e3 + time.tv_nsec / 1e6;
}

static int connected(void) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
    int one = 1, made = socket(AF_INET, SOCK_STREAM, 0);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (made < 0 || connect(made, (struct sockaddr *)&address, sizeof address)) fail("connect");
    setsockopt(made, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    return made;
}

static void put(int to, const char *text) {
    size_t length = strlen(text);
    if (write(to, text, length) != (ssize_t)length) fail("write");
}

static void open_stream(int index, int listeners) {
    char request[LINE + 200];
    snprintf(request, sizeof request,
             "GET /api/v1/events/ HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/event-stream\r\n"
             "Authorization: Bearer %s\r\n\r\n", tokens[1 + index / PER_TOKEN % listeners]);
    streams[index].socket = connected();
    put(streams[index].socket, request);
    struct epoll_event wish = {.events = EPOLLIN, .data.u32 = index};
    if (epoll_ctl(queue, EPOLL_CTL_ADD, streams[index].socket, &wish)) fail("epoll_ctl");
}

/* Looks for the names of events, also across the borders of reads. */
static void take(struct stream *stream, double at) {
    char bytes[CARRY + READ + 1];
    memcpy(bytes, stream->tail, stream->kept);
    ssize_t length = read(stream->socket, bytes + stream->kept, READ);
    if (length <= 0) {
        epoll_ctl(queue, EPOLL_CTL_DEL, stream->socket, NULL);
        close(stream->socket);
        stream->closed = 1;
        closed++;
        return;
    }
    length += stream->kept;
    bytes[length] = 0;
    if (!stream->greeted && strstr(bytes, "event: hello")) stream->greeted = 1, greeted++;
    if (!stream->poked && strstr(bytes, "event: poke")) stream->poked = 1, times[poked++] = at - started;
    stream->kept = stream->poked || length < CARRY - 1 ? 0 : CARRY - 1;
    memcpy(stream->tail, bytes + length - stream->kept, stream->kept);
}

/* Reads what has come, for at most so many milliseconds. Returns whether the answer to an upload is among it. */
static int turn(int uploads, int milliseconds) {
    struct epoll_event ready[512];
    int answered = 0, found = epoll_wait(queue, ready, 512, milliseconds);
    for (int index = 0; index < found; index++) {
        if (ready[index].data.u32 != (unsigned)count) { take(&streams[ready[index].data.u32], now()); continue; }
        char answer[READ];
        ssize_t length = read(uploads, answer, sizeof answer - 1);
        if (length <= 0) fail("upload");
        answer[length] = 0;
        if (strncmp(answer, "HTTP/1.1 200", 12) == 0) answered = 1;
        else if (strncmp(answer, "HTTP/1.1", 8) == 0) { fprintf(stderr, "%s\n", answer); exit(1); }
    }
    return answered;
}

static void upload(int to, const char *path, int number) {
    char body[400], request[LINE + 900];
    int length = snprintf(body, sizeof body,
        "{\"client_batch_id\":\"00000000-0000-4000-8000-%06x%06x\",\"changes\":{\"tasks\":{\"created\":"
        "[{\"id\":\"listen-%d-%d\",\"name\":\"A task\"}],\"updated\":[],\"deleted\":[]}}}",
        getpid() & 0xffffff, number, getpid(), number);
    snprintf(request, sizeof request,
             "POST %s HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\n"
             "Content-Length: %d\r\n\r\n%s", path, tokens[0], length, body);
    put(to, request);
}

static int ascending(const void *one, const void *other) {
    double left = *(const double *)one, right = *(const double *)other;
    return left < right ? -1 : left > right;
}

static double part(double *values, int number, double share) {
    if (!number) return 0;
    qsort(values, number, sizeof *values, ascending);
    int index = share * number;
    return values[index < number ? index : number - 1];
}

static void rest(int uploads, double milliseconds) {
    for (double end = now() + milliseconds; now() < end;) turn(uploads, 5);
}

static void hold(int uploads) {
    struct pollfd input = {.fd = 0, .events = POLLIN};
    char byte;
    while (!(poll(&input, 1, 0) && read(0, &byte, 1) <= 0)) turn(uploads, 100);
    printf("{\"closed\": %d}\n", closed);
}

static void run(int uploads, const char *path, int rounds, int pause) {
    double *all = malloc(sizeof *all * rounds * count), *answers = malloc(sizeof *answers * rounds);
    int known = 0, missing = 0;
    for (int round = 0; round < rounds; round++) {
        rest(uploads, pause);
        for (int index = 0; index < count; index++) streams[index].poked = 0, streams[index].kept = 0;
        poked = 0;
        int answered = 0;
        started = now();
        upload(uploads, path, round);
        while ((poked < count || !answered) && now() - started < LIMIT)
            if (turn(uploads, 100)) answered = 1, answers[round] = now() - started;
        missing += count - poked;
        memcpy(all + known, times, sizeof *times * poked);
        known += poked;
    }
    printf("{\"p50\": %.3f, \"p99\": %.3f, \"answer_p50\": %.3f, \"answer_p99\": %.3f, \"missing\": %d, \"closed\": %d}\n",
           part(all, known, 0.5), part(all, known, 0.99), part(answers, rounds, 0.5), part(answers, rounds, 0.99),
           missing, closed);
}

int main(int number, char **words) {
    if (number != 6) return fprintf(stderr, "listen PORT STREAMS ROUNDS PAUSE UPLOAD-PATH\n"), 2;
    port = atoi(words[1]), count = atoi(words[2]);
    int rounds = atoi(words[3]), pause = atoi(words[4]), listeners = -1;
    while (listeners + 1 < TOKENS && fgets(tokens[listeners + 1], LINE, stdin)) {
        char *end = strchr(tokens[++listeners], '\n');
        if (!end || end == tokens[listeners]) { listeners--; break; }
        *end = 0;
    }
    if (listeners < 1) return fprintf(stderr, "There are no tokens.\n"), 2;
    queue = epoll_create1(0);
    streams = calloc(count + 1, sizeof *streams), times = malloc(sizeof *times * (count + 1));
    int uploads = connected();
    struct epoll_event wish = {.events = EPOLLIN, .data.u32 = count};
    if (epoll_ctl(queue, EPOLL_CTL_ADD, uploads, &wish)) fail("epoll_ctl");
    for (int index = 0; index < count; index++) {
        open_stream(index, listeners);
        // The server takes a thousand new streams a second.
        if (index % 90 == 89) rest(uploads, 100);
    }
    for (double end = now() + 30000; greeted < count && now() < end;) turn(uploads, 100);
    if (greeted < count) return fprintf(stderr, "%d of %d streams were greeted\n", greeted, count), 1;
    printf("ready\n");
    fflush(stdout);
    if (rounds) run(uploads, words[5], rounds, pause); else hold(uploads);
}

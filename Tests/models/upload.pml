/*
 * An upload with lost answers, repetitions, kills and restores.
 *
 * The device edits each row once. It makes one batch of what is unsent, stores it, and sends it until it has an answer.
 * The server applies a batch in one transaction with the record of its answer, so a repetition finds both or neither. It
 * may leave an edit alone, which it then says, and re-stamps the row. A batch with a watermark of another history is
 * refused, and nothing is applied.
 *
 * An answered batch stays with the device until a drain has covered it (docs/decisions/0009 and 0013). A drain that was
 * asked for after the answer, and ends below it, is of another history: everything is read again, and what the server
 * has lost becomes unsent. The digest does the same if the numbers fit.
 *
 * A restore goes back to the backup, with its records, and jumps. The second restore may jump less far than the first,
 * so its head may be below numbers that the device knows.
 *
 * No edit is applied twice in one history. When all is quiet, the replica has the server's rows, and each edit is in the
 * history or was set aside. Two losses are those of the restore, and known: what a drain had covered before it, and an
 * edit of a row that somebody else has since written up to the same version.
 *
 * Bounds: 2 rows of one project, 3 batches, OTHERS edits of somebody else, RESTORES restores, and EVENTS of these: the
 * server is killed before a commit, or between commit and answer; a copy of a request is late; an edit is refused; a
 * backup is made. A drain has one page, with a digest or without; drain.pml has the others. What is under way to the
 * server when it is restored dies with it; an answer still arrives. Two restores of one backup jump differently far. The
 * device makes a batch only if it has a watermark: without one, an answer from before a restore could be taken for one
 * of the history that was pulled since.
 *
 * The planted mistakes are the #ifdefs. scripts/check-models has a line for each.
 */
#ifndef EVENTS
#define EVENTS 2
#endif
#ifndef OTHERS
#define OTHERS 1
#endif
#ifndef RESTORES
#define RESTORES 1
#endif
#define ROWS 2
#define BATCHES 3
#define REFUSED 255

/* What becomes of the device's edit of a row. */
#define NONE 0
#define UNSENT 1
#define SENT 2
#define ANSWERED 3
#define COVERED 4
#define ASIDE 5

/* Values: 0 is there at first, 1 and 2 are the device's, those from 8 on somebody else's. */
#define mine(row) ((row) + 1)

/* A row that was left alone has no version. */
typedef Record { byte number; byte version[ROWS] };
typedef Database {
    byte head; byte floor;
    byte value[ROWS]; byte version[ROWS]; byte stamp[ROWS];
    /* How often each of the device's edits was applied in this history. */
    byte applied[ROWS];
    Record answer[BATCHES + 1]
};
Database server, backup;

/* The network. A request is the number of a batch, whose body the device has stored. */
byte request, late, answerTo;
Record reply;

/* The device: the server's side of each row, over which unsent edits lie. */
byte value[ROWS], version[ROWS];
byte fate[ROWS], batchOf[ROWS], acceptedAs[ROWS];
byte watermark;
byte batches, waiting;
byte body[BATCHES + 1], sentWith[BATCHES + 1];
/* Whether the watermark became void since the waiting batch was sent. */
bool isVoided;
/* Whether unsent edits lie over the server's side of their rows, as with the Swift client and the web client. The
   adapter for WatermelonDB has no such base; it keeps its watermark while a batch waits. */
bool hasBase;
/* Of answered batches: the commit, and whether the present drain was asked for after the answer. */
byte commitOf[BATCHES + 1];
bool isBefore[BATCHES + 1];
/* The drain under way: its page, and the versions that its digest is of. */
bool isAsked;
byte pin, page[ROWS], pageVersion[ROWS];
bool isDelivered[ROWS];

/* What only the checks know: whether the page, and the last drain that was stored, had an edit; whether an edit may be
   missing; whether the device had nothing to send when it asked. */
bool pageHas[ROWS], drainHad[ROWS], isExcused[ROWS];
bool wasIdle;

byte events = EVENTS, others = OTHERS, restores = RESTORES, lastJump;

#define isUnsent(row) (fate[row] == UNSENT || fate[row] == SENT)
#define isIdle (waiting == 0 && !isUnsent(0) && !isUnsent(1))
#define isServable(mark) ((mark) <= server.head && ((mark) == 0 || (mark) >= server.floor))
#define has(set, row) (((set) >> (row)) & 1)

#define isReached(row) (commitOf[batchOf[row]] <= pin)
#define isOpen(row) (fate[row] == ANSWERED && !isReached(row) && !isBefore[batchOf[row]])
#ifdef NUMBERS_ONLY
/* The numbers alone say what a drain has covered. */
#define isTold(row) (fate[row] == ANSWERED && isReached(row))
#define isLost(row) false
#else
#define isTold(row) (fate[row] == ANSWERED && !isOpen(row))
#define isLost(row) (isTold(row) && !isReached(row))
#endif

inline copyRecord(to, from) {
    to.number = from.number; to.version[0] = from.version[0]; to.version[1] = from.version[1]
}

inline copyDatabase(to, from) {
    to.head = from.head; to.floor = from.floor;
    for (r : 0 .. ROWS - 1) {
        to.value[r] = from.value[r]; to.version[r] = from.version[r];
        to.stamp[r] = from.stamp[r]; to.applied[r] = from.applied[r]
    }
    for (r : 1 .. BATCHES) { copyRecord(to.answer[r], from.answer[r]) }
    r = 0
}

/* The transaction of a batch. Its answer is in `reply`. */
inline apply(b) {
    d_step {
        if
        :: server.answer[b].number > 0 -> copyRecord(reply, server.answer[b])
        :: server.answer[b].number == 0 && !isServable(sentWith[b]) ->
            reply.number = REFUSED
        :: else ->
            server.head++;
            reply.number = server.head;
            for (r : 0 .. ROWS - 1) {
                if
                :: has(body[b], r) && has(refused, r) ->
#ifndef NO_RESTAMP
                    server.stamp[r] = server.head
#else
                    skip
#endif
                :: has(body[b], r) && !has(refused, r) ->
                    reply.version[r] = server.version[r] + 1;
                    if
                    :: withRows ->
                        server.value[r] = mine(r); server.version[r]++; server.stamp[r] = server.head;
                        server.applied[r]++;
                        assert(server.applied[r] == 1)
                    :: else
                    fi
                :: else
                fi
            }
            if :: withRecord -> copyRecord(server.answer[b], reply) :: else fi;
            if :: !withRows && !withRecord -> server.head-- :: else fi;
            r = 0
        fi;
        refused = 0; withRows = true; withRecord = true
    }
}

inline forgetReply() {
    reply.number = 0; reply.version[0] = 0; reply.version[1] = 0
}

/* Forgets what nobody can ask for any more, so that states are equal that don't differ. */
inline tidy() {
    for (r : 0 .. ROWS - 1) {
        if :: fate[r] == COVERED || fate[r] == ASIDE -> batchOf[r] = 0; acceptedAs[r] = 0 :: else fi
    }
    for (r : 1 .. BATCHES) {
        if
        :: r <= batches && batchOf[0] != r && batchOf[1] != r && waiting != r ->
            commitOf[r] = 0; isBefore[r] = false;
            if
            :: request != r && late != r ->
                body[r] = 0; sentWith[r] = 0;
                server.answer[r].number = 0; server.answer[r].version[0] = 0; server.answer[r].version[1] = 0;
                backup.answer[r].number = 0; backup.answer[r].version[0] = 0; backup.answer[r].version[1] = 0
            :: else
            fi
        :: else
        fi
    }
    r = 0
}

proctype Server() {
    byte b, r, refused;
    bool withRows = true, withRecord = true, isKilled;
end:
    do
    :: atomic {
            request > 0 && answerTo == 0 -> b = request; request = 0;
            if
            :: events > 0 -> events--
            :: true ->
                if :: events > 0 -> events--; if :: refused = 1 :: refused = 2 fi :: true fi;
#ifdef RECORD_APART
                if :: events > 0 -> events--; withRecord = false; isKilled = true :: true fi;
#endif
#ifdef RECORD_FIRST
                if :: events > 0 -> events--; withRows = false; isKilled = true :: true fi;
#endif
#ifdef ANSWER_FIRST
                if :: events > 0 -> events--; withRows = false; withRecord = false :: true fi;
#endif
                apply(b);
                if :: !isKilled -> answerTo = b :: true -> forgetReply() fi
            fi;
            b = 0; isKilled = false
        }
    :: atomic { late > 0 && answerTo == 0 -> b = late; late = 0; apply(b); forgetReply(); d_step { tidy() }; b = 0 }
    :: atomic { answerTo > 0 && events > 0 -> events--; answerTo = 0; forgetReply() }
    od
}

/* Somebody else edits, and somebody makes backups and restores them. */
proctype World() {
    byte r;
end:
    do
    :: atomic {
            others > 0 -> others--;
            if :: r = 0 :: r = 1 fi;
            server.head++;
            server.value[r] = 8 + others; server.version[r]++; server.stamp[r] = server.head;
            r = 0
        }
    :: atomic { events > 0 && restores > 0 -> events--; d_step { copyDatabase(backup, server) } }
    :: atomic {
            restores > 0 -> restores--;
            if
            :: lastJump != 8 -> lastJump = 8
            :: lastJump != 16 -> lastJump = 16
            fi;
            d_step {
                request = 0; late = 0;
                for (r : 0 .. ROWS - 1) {
                    if :: server.applied[r] > backup.applied[r] && drainHad[r] -> isExcused[r] = true :: else fi;
                    drainHad[r] = false
                }
                copyDatabase(server, backup);
#ifndef NO_JUMP
                server.head = server.head + lastJump; server.floor = server.head
#endif
            }
        }
    od
}

inline endDrain() {
    isAsked = false; pin = 0; wasIdle = false;
    for (r : 0 .. ROWS - 1) { page[r] = 0; pageVersion[r] = 0; isDelivered[r] = false; pageHas[r] = false }
    r = 0
}

inline reset() {
    watermark = 0; isVoided = (waiting > 0);
    endDrain()
}

inline makeBatch() {
    d_step {
        batches++; waiting = batches;
        sentWith[waiting] = watermark;
        for (r : 0 .. ROWS - 1) {
            if
            :: fate[r] == UNSENT -> fate[r] = SENT; batchOf[r] = waiting; body[waiting] = body[waiting] + (1 << r)
            :: else
            fi
        }
        r = 0
    }
}

inline settleRow() {
    if
    :: reply.version[r] > 0 ->
        acceptedAs[r] = reply.version[r];
#ifdef STALE_ANSWER
        value[r] = mine(r); version[r] = (version[r] > reply.version[r] -> version[r] : reply.version[r]);
#else
        /* Unless a drain has brought this version or a later one. */
        if :: version[r] < reply.version[r] -> value[r] = mine(r); version[r] = reply.version[r] :: else fi;
#endif
        fate[r] = ANSWERED;
#ifdef FORGET_ANSWERED
        fate[r] = COVERED
#endif
        if :: !isVoided && commitOf[waiting] <= watermark -> fate[r] = COVERED :: else fi
    :: else ->
        fate[r] = ASIDE;
        /* Without a base the row shows the edit until it is delivered again. */
        if :: !hasBase -> value[r] = mine(r) :: else fi
    fi
}

inline receive() {
    d_step {
        if
        :: answerTo == waiting && reply.number == REFUSED ->
            for (r : 0 .. ROWS - 1) { if :: fate[r] == SENT -> fate[r] = UNSENT; batchOf[r] = 0 :: else fi }
            waiting = 0;
            reset()
        :: answerTo == waiting && reply.number != REFUSED ->
            commitOf[waiting] = reply.number; isBefore[waiting] = false;
            for (r : 0 .. ROWS - 1) { if :: fate[r] == SENT -> settleRow() :: else fi }
            r = 0;
            waiting = 0;
#ifdef ADOPT_ANSWER
            watermark = reply.number;
#endif
#ifndef EPOCH_OFF
            if :: isVoided -> reset() :: else fi;
#endif
            isVoided = false
        :: else
        fi;
        answerTo = 0; forgetReply();
        tidy()
    }
}

inline ask() {
    d_step {
        if
        :: !isServable(watermark) -> reset()
        :: else ->
            isAsked = true; pin = server.head; wasIdle = isIdle;
            for (r : 0 .. ROWS - 1) {
                isDelivered[r] = (watermark == 0 || server.stamp[r] > watermark);
                page[r] = server.value[r]; pageVersion[r] = server.version[r]; pageHas[r] = server.applied[r]
            }
            for (r : 1 .. BATCHES) { isBefore[r] = (commitOf[r] > 0) }
            r = 0
        fi
    }
}

/* Takes the page's row, unless an answer is newer. */
inline takeRow() {
    if
    :: isDelivered[r] && watermark == 0 && isOpen(r)
#ifndef OLDER_PAGE
    :: isDelivered[r] && watermark > 0 && pageVersion[r] < version[r]
#else
    :: false
#endif
    :: else -> if :: isDelivered[r] -> value[r] = page[r]; version[r] = pageVersion[r] :: else fi
    fi
}

/* Compares what was answered with a replacement: the server has lost a row that it has at a lower version and with
   another value. */
inline recoverRow() {
    if
    :: isTold(r) && pageVersion[r] < acceptedAs[r] && page[r] != mine(r) -> fate[r] = UNSENT; batchOf[r] = 0
    :: else ->
        if
        :: isTold(r) ->
            if :: page[r] != mine(r) && server.applied[r] == 0 -> isExcused[r] = true :: else fi;
            fate[r] = COVERED
        :: else
        fi
    fi
}

inline store() {
    d_step {
        for (r : 0 .. ROWS - 1) {
            takeRow();
            if :: pageHas[r] && server.applied[r] == 0 -> isExcused[r] = true :: else fi;
            drainHad[r] = pageHas[r] && server.applied[r] == 1
        }
        isSame = (version[0] == pageVersion[0] && version[1] == pageVersion[1]) || !hasDigest;
        if
        :: !hasBase && waiting > 0 -> endDrain()
        :: watermark > 0 && (isLost(0) || isLost(1)) -> reset()
        :: watermark > 0 && !isSame && !isOpen(0) && !isOpen(1) -> reset()
        :: else ->
            for (r : 0 .. ROWS - 1) {
                if
                :: watermark == 0 -> recoverRow()
                :: watermark > 0 && isTold(r) && hasDigest && !isOpen(1 - r) -> fate[r] = COVERED
                :: else
                fi;
                /* What was answered stays in sight. */
                assert(fate[r] != ANSWERED || version[r] >= acceptedAs[r])
            }
            watermark = pin;
            if :: wasIdle && isIdle && hasDigest && pin == server.head -> check() :: else fi;
            endDrain()
        fi;
        tidy();
        isSame = false; hasDigest = false
    }
}

/* All is quiet. */
inline check() {
    for (r : 0 .. ROWS - 1) {
        assert(value[r] == server.value[r] && version[r] == server.version[r]);
        assert(fate[r] != ASIDE || server.applied[r] == 0);
        assert((fate[r] != ANSWERED && fate[r] != COVERED) || server.applied[r] == 1 || isExcused[r])
    }
}

proctype Device() {
    byte r;
    bool isSame, hasDigest;
#ifdef NEW_ID
    bool wasSent;
#endif
end:
    do
    :: atomic { fate[0] == NONE -> fate[0] = UNSENT }
    :: atomic { fate[1] == NONE -> fate[1] = UNSENT }
    :: atomic { watermark > 0 && waiting == 0 && batches < BATCHES && (fate[0] == UNSENT || fate[1] == UNSENT) -> makeBatch() }
    :: atomic {
            waiting > 0 && request == 0 && answerTo == 0 ->
#ifdef NEW_ID
            if
            /* What had no answer is sent under a new id. */
            :: batches < BATCHES && wasSent ->
                fate[0] = (fate[0] == SENT -> UNSENT : fate[0]);
                fate[1] = (fate[1] == SENT -> UNSENT : fate[1]);
                makeBatch()
            :: else
            fi;
            wasSent = true;
#endif
            request = waiting; isVoided = false;
            if :: events > 0 && late == 0 -> events--; late = waiting :: true fi
        }
    :: atomic { answerTo > 0 -> receive() }
    :: atomic { !isAsked -> ask() }
    :: atomic { isAsked -> if :: hasDigest = true :: true fi; store() }
    od
}

init {
    byte r;
    atomic {
        d_step {
            server.head = 1; server.version[0] = 1; server.version[1] = 1; server.stamp[0] = 1; server.stamp[1] = 1;
            copyDatabase(backup, server);
            watermark = 1; version[0] = 1; version[1] = 1
        }
        if :: hasBase = true :: true fi;
        run Server(); run World(); run Device()
    }
}

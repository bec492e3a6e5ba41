/*
 * A drain of pages under writes, and the rule by which a device shows only states that were.
 *
 * The server is that of docs/protocol.md. A commit draws a number and stamps the rows that it writes. Page 1 pins the
 * head, and the cursor carries it. A page has rows with numbers above the watermark and up to the pin, in the order of
 * collection, number, id. It was read in one transaction, perhaps earlier and for somebody else. A row that is written
 * after the pin waits for the next drain.
 *
 * The device counts a drain if the head that comes with its last page is its pin; without that header, if it had one
 * page and no cursor. Until a drain counts, the device keeps the pages beside its rows; then it applies them in one
 * transaction. A first sync and a replacement are stored in place, and nothing is shown until a drain counts. After
 * three drains that did not count it asks for a stream, which is one page, unless the server is busy.
 *
 * What is shown must be the state at the commit that it names, must never go back, and must have what was acknowledged
 * to the device. When nobody writes any more, the device must settle soon. A row holds the number of the commit that
 * wrote it, so two states are equal if these numbers are.
 *
 * Bounds: 3 rows in 2 collections; COMMITS commits, each edits two rows, or edits one and deletes another, of those that
 * are left; pages of 1 or 2 rows, where size and header are drawn anew for each page; EVENTS of these: a cursor is
 * refused, another process pulls into the same replica, tombstones are purged, a page has a cursor with nothing behind
 * it. A new row is not told from an edited one. A page is read and stored in one step, since a client stores a page only
 * if its replica has not moved meanwhile. A kill and a lost answer are no step: what the device goes by is in its file,
 * and it may ask again at any time. Kills count where a mistake makes them count.
 *
 * The planted mistakes are the #ifdefs. scripts/check-models has a line for each.
 */
#ifndef COMMITS
#define COMMITS 3
#endif
#ifndef EVENTS
#define EVENTS 3
#endif
#define ROWS 3
/* The commit that is the device's own. */
#define OWN 2
#define LAST (COMMITS + 1)
#define DEAD 16
#define NOTHING 31

#define number(cell) ((cell) & 15)
#define isDead(cell) ((cell) >= DEAD)
/* What a replica has of a cell: no row if it is a tombstone. */
#define content(cell) (isDead(cell) -> 0 : (cell))
#define at(commit, row) was[(commit) * ROWS + (row)]
/* Whether the replica's rows are those of a commit. */
#define has(row, commit) (rows[row] == content(at(commit, row)))
#define isAt(commit) (has(0, commit) && has(1, commit) && has(2, commit))
/* Where a row stands in a drain. Rows 0 and 1 are of one collection, row 2 of the next. */
#define place(row, number) ((((row) / 2) * 16 + (number)) * ROWS + (row) + 1)

/* The server's rows at each commit: the number of the last write, with DEAD if it was a deletion. Above the head they
   are as at the head. */
byte was[(LAST + 1) * ROWS] = 1;
byte head = 1;
byte drawn = 1;
byte horizon = 0;

/* The replica's file. `watermark` is that of the kept pages, `settled` that of the rows; 0 is none. */
byte rows[ROWS];
byte kept[ROWS] = NOTHING;
byte watermark = 0, settled = 0, shown = 0;
bool named[ROWS];
/* The drain under way. */
bool isOpen = false;
byte pin, position;
byte rounds = 0;
byte events = EVENTS;
byte lateDrains = 0;
#ifdef FIRST_HEAD
byte firstHead;
#endif
#ifdef RESUMED
/* What the process has in memory. */
byte pages = 0;
#endif

/* Writes a cell at this commit and all later ones, unless a later one has written the row already. */
inline write(row, cell) {
    i = n;
    do
    :: i <= LAST -> if :: number(at(i, row)) < n -> at(i, row) = cell :: else fi; i++
    :: else -> break
    od;
    i = 0
}

inline commit() {
    d_step {
        if :: !isDead(at(head, first)) -> write(first, n) :: else fi;
        first = (first + 1) % ROWS;
        if :: !isDead(at(head, first)) -> write(first, n + (isDelete -> DEAD : 0)) :: else fi;
        if :: n > head -> head = n :: else fi;
        n = 0; first = 0; isDelete = false
    }
}

#ifdef SEQUENCE
/* The number comes from a sequence, outside the transaction that writes the rows. */
#define WRITERS 2
#else
#define WRITERS 1
#endif

active [WRITERS] proctype Writer() {
    byte n, i, first;
    bool isDelete;
    do
    :: atomic {
            drawn < LAST -> drawn++; n = drawn;
            if :: first = 0 :: first = 1 :: first = 2 fi;
            if :: isDelete = true :: isDelete = false fi;
#ifndef SEQUENCE
            commit()
#endif
        }
#ifdef SEQUENCE
        commit()
#endif
    :: drawn == LAST -> break
    od
}

/* Fills a page of `size` rows as of the commit h, and stores it. */
inline fill() {
    d_step {
        more = true;
        do
        :: best = NOTHING; i = 0;
            do
            :: i < ROWS ->
                n = number(at(h, i));
                if
                :: n > watermark && n <= pin && place(i, n) > position &&
                    (best == NOTHING || place(i, n) < place(best, number(at(h, best)))) -> best = i
                :: else
                fi;
                i++
            :: else -> break
            od;
            if
            :: best == NOTHING -> more = false; break
            :: best != NOTHING && size == 0 -> break
            :: else ->
                position = place(best, number(at(h, best))); size--;
                if
                :: isLost
                :: !isLost && settled == 0 -> rows[best] = content(at(h, best)); named[best] = true
                :: else -> kept[best] = content(at(h, best))
                fi
            fi
        od;
        best = 0; i = 0; n = 0; size = 0; isLost = false
    }
}

/* No state may be shown that never was, or that is another one than it says. */
inline look() {
    if
    :: settled > 0 ->
#ifdef RULE_OFF
        i = 1;
        do
        :: i <= head && !isAt(i) -> i++
        :: else -> break
        od;
        assert(i <= head);
        i = 0
#else
        assert(isAt(settled))
#endif
    :: else
    fi
}

inline dropKept() {
    i = 0;
    do :: i < ROWS -> kept[i] = NOTHING; i++ :: else -> break od;
    i = 0
}

inline closeDrain() {
    isOpen = false; pin = 0; position = 0
#ifdef FIRST_HEAD
    firstHead = 0
#endif
#ifdef RESUMED
    pages = 0
#endif
}

inline settle() {
    i = 0;
    do
    :: i < ROWS -> if :: kept[i] != NOTHING -> rows[i] = kept[i] :: else fi; kept[i] = NOTHING; i++
    :: else -> break
    od;
    i = 0;
    settled = pin; rounds = 0;
    assert(settled >= shown);
    shown = settled;
    look()
}

inline endDrain() {
    d_step {
        if
        :: watermark == 0 ->
            do
#ifndef NO_SWEEP
            :: i < ROWS && !named[i] -> rows[i] = 0; i++
#endif
            :: i < ROWS && named[i] -> named[i] = false; i++
            :: else -> break
            od;
            i = 0
        :: else
        fi;
        watermark = pin;
#ifdef RULE_OFF
        counts = true;
#elif defined(FIRST_HEAD)
        counts = (told > 0 -> firstHead == pin : isWhole);
#elif defined(RESUMED)
        counts = (told > 0 -> told == pin : pages == 1);
#else
        counts = (told > 0 -> told == pin : isWhole);
#endif
        assert(counts || !isStream);
        if
        :: counts -> settle()
        :: else ->
            rounds = (rounds < 3 -> rounds + 1 : 3);
            if :: pin == LAST -> lateDrains++ :: else fi;
            assert(lateDrains <= EVENTS + 1)
        fi;
        counts = false; closeDrain()
    }
}

/* Everything is read again, in place. */
inline replace() {
    d_step {
        watermark = 0; settled = 0; rounds = 0;
        closeDrain();
        dropKept()
    }
}

/* A page is asked for without a cursor or with one. */
inline begin() {
    isWhole = !isOpen;
    if
    :: !isOpen ->
        pin = head;
        named[0] = false; named[1] = false; named[2] = false;
#ifdef STALE_PAGE
        /* The kept first page outlives a commit. */
        if :: pin > watermark + 1 -> pin-- :: true fi;
#endif
        assert(pin >= OWN || head < OWN)
    :: else
    fi
#ifdef FIRST_HEAD
    if :: isWhole -> firstHead = head :: else fi
#endif
#ifdef MOVING_PIN
    pin = head
#endif
#ifdef RESUMED
    pages++
#endif
}

active proctype Device() {
    byte h, i, n, best, size, told;
    bool more, isWhole, isStream, isLost, counts;
    do
    :: atomic {
#ifndef NO_HORIZON
            watermark > 0 && watermark < horizon -> replace()
        }
    :: atomic {
            watermark == 0 || watermark >= horizon ->
#endif
            begin();
            if
            :: size = 1
            :: size = 2
            :: rounds == 3 && isWhole -> size = ROWS; isStream = true
            fi;
            /* A kept page is of any commit since the pin, but not of another one than the pin if the head is the pin. */
            h = head;
#ifdef CACHED_HEAD
            do :: h > pin -> h-- :: break od;
#else
            do :: h > pin + 1 && !isStream -> h-- :: break od;
#endif
#ifdef STALE_PAGE
            if :: isWhole -> h = pin :: else fi;
#endif
#ifdef CURSOR_FIRST
            /* The cursor is stored before the page, and the device is killed in between. */
            if :: events > 0 -> events--; isLost = true :: true fi;
#endif
            fill();
            if :: !more && !isStream && events > 0 -> more = true; events-- :: true fi;
            if
            :: more -> isOpen = true
            :: else ->
                told = head;
#ifdef LAGGING_HEAD
                /* The head is what the server knew a moment ago. */
                if :: told = pin :: true fi;
#endif
#ifdef CACHED_HEAD
                /* The head is kept with the page, and the page serves until its pin is forgotten. */
                told = h;
#endif
#ifdef STALE_PAGE
                if :: isWhole -> told = pin :: else fi;
#endif
                if :: told = 0 :: true fi;
                endDrain()
            fi;
            h = 0; told = 0; more = false; isWhole = false; isStream = false
        }
#ifdef RESUMED
    :: atomic { events > 0 && isOpen -> events--; pages = 0 }
#endif
#ifdef KEPT_IN_MEMORY
    :: atomic { events > 0 -> events--; dropKept() }
#endif
    :: atomic {
            events > 0 && isOpen -> events--;
#ifdef REFUSED_ADOPTS
            watermark = pin;
#endif
            closeDrain()
        }
    :: atomic {
            /* Another process, which may be an older client, pulls everything. */
            events > 0 && settled > 0 -> events--;
            d_step {
                closeDrain(); rounds = 0;
                rows[0] = content(at(head, 0)); rows[1] = content(at(head, 1)); rows[2] = content(at(head, 2));
                settled = head; shown = head; watermark = head;
#ifndef KEPT_OUTLIVE
                dropKept()
#endif
            }
        }
    :: atomic {
            events > 0 -> events--;
            d_step {
                do
                :: i < ROWS ->
                    n = at(head, i);
                    if
                    :: isDead(n) ->
                        horizon = (number(n) > horizon -> number(n) : horizon);
                        h = 0;
                        do :: h <= LAST -> at(h, i) = (isDead(at(h, i)) -> 0 : at(h, i)); h++ :: else -> break od
                    :: else
                    fi;
                    i++
                :: else -> break
                od;
                i = 0; n = 0; h = 0
            }
        }
    :: head == LAST && settled == LAST && !isOpen -> break
    od
}

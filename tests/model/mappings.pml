/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The ordering argument (docs/ordering.md), on mappings that split and merge.
 *
 * Four pages; a mapping is a run of pages with the same attributes. A call changes one page of
 * it, under the lock of the space, in two steps: in between, every mapping that it splits or
 * merges with is being written in place, and who reads one without the lock gets garbage for its
 * whole extent. Programs read mapping by mapping, without the lock: whatever is under the cursor,
 * then whatever is behind its end.
 *
 * What makes the atlas right in spite of that, each by its switch:
 * -DRESERVE_FIRST  a program reserves its place in the ring before it reads.
 * -DNEIGHBOURS     a call observes one page more on each side than it changed, and so meets every
 *                  mapping that it has written.
 * -DWHOLE          a mapping that touches the range is reported, and replaced, with its full
 *                  extent.
 * With all three the claim of pages.pml holds; without any one of them pan finds a counterexample.
 *
 * As in pages.pml the reader applies within the step that submits.
 */
#ifndef NR_PAGES
#define NR_PAGES 4
#endif
#ifndef NR_CHANGES
#define NR_CHANGES 1	/* of each mutator */
#endif
#define NR_RECORDS (2 * NR_CHANGES + NR_PAGES)
#define HOLE 0
#define TORN 6		/* what is read from a mapping while it is written */
#define UNKNOWN 7

byte kernel[NR_PAGES] = 1;
bool torn[NR_PAGES];
bool locked;
byte atlas[NR_PAGES] = UNKNOWN;

/* The ring. [from, to) is the observed range, extended by the mappings that reach beyond it. */
typedef record {
	bool submitted;
	byte from;
	byte to;
	byte value[NR_PAGES]
};
record ring[NR_RECORDS];
byte tail;	/* next place to be reserved */
byte head;	/* next record to be applied */

byte busy;	/* programs between change and submit */
bool walked;

/*
 * Scratch of the steps below. Each leaves them at 0, so they add no states. `hidden` would be wrong,
 * for pan must be able to take a step back.
 */
byte i, a, b, what;

inline apply()
{
	i = 0;
	do
	:: i < NR_PAGES ->
		if
		:: ring[head].from <= i && i < ring[head].to -> atlas[i] = ring[head].value[i]
		:: else
		fi;
		ring[head].value[i] = 0;
		i++
	:: else -> break
	od;
	i = 0;
	ring[head].submitted = false;
	ring[head].from = 0;
	ring[head].to = 0;
	head++
}

inline submit()
{
	i = 0;
	do
	:: i < NR_PAGES ->
		ring[place].value[i] = value[i];
		value[i] = 0;
		i++
	:: else -> break
	od;
	ring[place].from = from;
	ring[place].to = to;
	ring[place].submitted = true;
	i = 0;
	place = 0;
	from = 0;
	to = 0;
	do
	:: head < NR_RECORDS && ring[head].submitted -> apply()
	:: else -> break
	od
}

inline check()
{
	i = 0;
	do
	:: i < NR_PAGES ->
		assert(busy != 0 || head != tail || atlas[i] == kernel[i] ||
		       (atlas[i] == UNKNOWN && !walked));
		i++
	:: else -> break
	od;
	i = 0
}

/* [a, b): the mapping, or the hole, that page is in. */
inline find_extent(page)
{
	a = page;
	b = page + 1;
	do
	:: a > 0 && torn[a - 1] == torn[page] && (torn[page] || kernel[a - 1] == kernel[page]) ->
		a--
	:: else -> break
	od;
	do
	:: b < NR_PAGES && torn[b] == torn[page] && (torn[page] || kernel[b] == kernel[page]) ->
		b++
	:: else -> break
	od
}

/*
 * Read what is at cursor, in one step, and move cursor behind it. Nothing at or below an earlier
 * mapping of the same record is told twice: from moves down for the first one only.
 */
inline read_mapping()
{
	find_extent(cursor);
	what = (torn[cursor] -> TORN : kernel[cursor]);
#ifdef WHOLE
	if
	:: what == HOLE || cursor != lo -> a = cursor
	:: else
	fi;
	if
	:: what == HOLE && b > hi -> b = hi
	:: else
	fi;
#else
	a = cursor;
	b = (b > hi -> hi : b);
#endif
	from = (cursor == lo -> a : from);
	to = b;
	cursor = b;
	do
	:: a < b -> value[a] = what; a++
	:: else -> break
	od;
	a = 0;
	b = 0;
	what = 0
}

inline read_range()
{
	do
	:: atomic { cursor < hi -> read_mapping() }
	:: cursor >= hi -> break
	od
}

inline tear(page)
{
	find_extent(page);
	do
	:: a < b -> torn[a] = true; a++
	:: else -> break
	od;
	a = 0;
	b = 0
}

/* Which mappings a change of page to new writes: the one that is split, those that are merged. */
inline change_begin()
{
	locked = true;
	if
	:: page > 0 && kernel[page - 1] == new -> tear(page - 1)
	:: else
	fi;
	if
	:: page + 1 < NR_PAGES && kernel[page + 1] == new -> tear(page + 1)
	:: else
	fi;
	if
	:: kernel[page] != HOLE -> tear(page)
	:: else -> torn[page] = true
	fi
}

inline change_end()
{
	kernel[page] = new;
	i = 0;
	do
	:: i < NR_PAGES -> torn[i] = false; i++
	:: else -> break
	od;
	i = 0;
	locked = false;
#ifdef NEIGHBOURS
	lo = (page > 0 -> page - 1 : 0);
	hi = (page + 2 < NR_PAGES -> page + 2 : NR_PAGES);
#else
	lo = page;
	hi = page + 1;
#endif
	cursor = lo;
	page = 0;
	new = 0
}

proctype mutator()
{
	byte change = 0;
	byte page, new, place, lo, hi, cursor, from, to;
	byte value[NR_PAGES];

	do
	:: change < NR_CHANGES ->
		atomic {
			!locked;
			select(page : 0 .. NR_PAGES - 1);
			select(new : 0 .. 2);
			change_begin();
			busy++
		}
		d_step { change_end() }
#ifdef RESERVE_FIRST
		d_step { place = tail; tail++ }
		read_range();
#else
		read_range();
		atomic { place = tail; tail++ }
#endif
		atomic { cursor = 0; lo = 0; hi = 0; submit(); change++; busy--; check() }
	:: else -> break
	od
}

/* One mapping a chunk; the next chunk is reserved before anything beyond this one is read. */
proctype walker()
{
	byte place, next, lo, hi, cursor, from, to;
	byte value[NR_PAGES];

	d_step { busy++; hi = NR_PAGES }
#ifdef RESERVE_FIRST
	d_step { place = tail; tail++ }
	do
	:: atomic { cursor < NR_PAGES -> read_mapping() }
	   if
	   :: atomic { cursor < NR_PAGES -> next = tail; tail++ }
	      atomic { submit(); place = next; next = 0; lo = cursor }
	   :: cursor == NR_PAGES
	   fi
	:: cursor == NR_PAGES -> break
	od;
#else
	do
	:: atomic { cursor < NR_PAGES -> read_mapping() }
	   d_step { place = tail; tail++ }
	   if
	   :: atomic { cursor < NR_PAGES -> submit(); lo = cursor }
	   :: cursor == NR_PAGES
	   fi
	:: cursor == NR_PAGES -> break
	od;
#endif
	atomic { cursor = 0; lo = 0; hi = 0; submit(); walked = true; busy--; check() }
}

init {
	atomic {
		run mutator();
		run mutator();
		run walker()
	}
}

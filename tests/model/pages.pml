/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The ordering argument (docs/ordering.md), on two pages.
 *
 * Two mutators make two changes each; whoever changed something then observes what it touched:
 * reserve a place in the ring, read the pages one after the other, submit. A walker observes the
 * whole space in two chunks and reserves the second before it reads anything beyond the first.
 * The reader applies records in the order in which they were reserved and stops at one that is
 * not submitted yet.
 *
 * Claim, at every quiet point (nobody between change and submit, ring drained): each page that
 * was ever observed reads in the atlas as it does in the kernel; and once the walk is over, that
 * is all of them.
 *
 * The reader runs as soon as it can, within the step that submits. A slower reader meets the same
 * records in the same order, and the claim speaks only of moments when it has caught up; so the
 * schedules left out differ in nothing that is asserted.
 *
 * -DRESERVE_FIRST is the design: it holds. Without it programs read before they reserve, and pan
 * finds a schedule in which a stale record lands after a fresh one.
 */
#define NR_PAGES 2
#define NR_CHANGES 2	/* of each mutator */
#define NR_RECORDS 6	/* 2 mutators x 2 changes, and two chunks of the walk */
#define UNKNOWN 7	/* no change writes this */

byte kernel[NR_PAGES];
byte atlas[NR_PAGES] = UNKNOWN;

/* The ring. A record says what the pages [lo, hi) hold. */
typedef record {
	bool submitted;
	byte lo;
	byte hi;
	byte value[NR_PAGES]
};
record ring[NR_RECORDS];
byte tail;	/* next place to be reserved */
byte head;	/* next record to be applied */

byte busy;	/* programs between change and submit */
bool walked;

inline reserve()
{
	place = tail;
	tail++
}

/* What was applied is not looked at again: forgetting it saves states. */
inline apply()
{
	if
	:: ring[head].lo == 0 -> atlas[0] = ring[head].value[0]
	:: else
	fi;
	if
	:: ring[head].hi == 2 -> atlas[1] = ring[head].value[1]
	:: else
	fi;
	ring[head].submitted = false;
	ring[head].lo = 0;
	ring[head].hi = 0;
	ring[head].value[0] = 0;
	ring[head].value[1] = 0;
	head++
}

inline drain()
{
	do
	:: head < NR_RECORDS && ring[head].submitted -> apply()
	:: else -> break
	od
}

inline submit()
{
	ring[place].lo = lo;
	ring[place].hi = hi;
	ring[place].value[0] = value[0];
	ring[place].value[1] = value[1];
	ring[place].submitted = true;
	value[0] = 0;
	value[1] = 0;
	place = 0;
	lo = 0;
	hi = 0;
	drain()
}

inline check(page)
{
	assert(busy != 0 || head != tail || atlas[page] == kernel[page] ||
	       (atlas[page] == UNKNOWN && !walked))
}

/* One page a step: others run between the two reads. */
inline read_range()
{
	if
	:: d_step { lo == 0 -> value[0] = kernel[0] }
	   if
	   :: d_step { hi == 2 -> value[1] = kernel[1] }
	   :: hi == 1
	   fi
	:: d_step { lo == 1 -> value[1] = kernel[1] }
	fi
}

/* A call changes its whole range in one piece: it holds the lock of the space. */
inline change_range(new)
{
	if
	:: lo = 0; hi = 1
	:: lo = 1; hi = 2
	:: lo = 0; hi = 2
	fi;
	if
	:: lo == 0 -> kernel[0] = new
	:: else
	fi;
	if
	:: hi == 2 -> kernel[1] = new
	:: else
	fi
}

/* `first` is the value of its first change: every change in the model writes another one. */
proctype mutator(byte first)
{
	byte change = 0;
	byte place, lo, hi;
	byte value[NR_PAGES];

	do
	:: change < NR_CHANGES ->
		atomic {
			busy++;
			change_range(first + change)
		}
#ifdef RESERVE_FIRST
		d_step { reserve() }
		read_range();
#else
		read_range();
		d_step { reserve() }
#endif
		d_step {
			submit();
			change++;
			busy--;
			check(0);
			check(1)
		}
	:: else -> break
	od
}

proctype walker()
{
	byte place, next, lo, hi;
	byte value[NR_PAGES];

#ifdef RESERVE_FIRST
	d_step { busy++; lo = 0; hi = 1; reserve() }
	read_range();
	d_step { next = tail; tail++ }	/* before anything beyond the first chunk is read */
	d_step { submit(); place = next; next = 0; lo = 1; hi = 2 }
	read_range();
#else
	d_step { busy++; lo = 0; hi = 1 }
	read_range();
	d_step { reserve() }
	d_step { submit(); lo = 1; hi = 2 }
	read_range();
	d_step { reserve() }
#endif
	d_step { submit(); walked = true; busy--; check(0); check(1) }
}

init {
	atomic {
		run mutator(1);
		run mutator(3);
		run walker()
	}
}

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The ordering argument (docs/ordering.md), where a record is applied relative to another: FORK
 * lets the child begin with what the atlas has, at that place in the ring, of the forker.
 *
 * A process of one thread changes its only page, forks, and changes it again; the child changes its
 * own. A walk looks at the forker from outside, twice. If it reserves before the FORK and reads
 * after the forker has gone on, then the atlas has the forker's future when the FORK comes, and
 * gives it to the child. So:
 * -DANNOUNCED    the walk says at whom it looks, before it reserves and until it has submitted;
 * -DCHECKED      the fork hook looks at that after it has reserved its FORK, and if the walk is at
 *                the forker, it observes the child, which has not run yet.
 * With both, each page in the atlas is as in the kernel at every quiet point. If the walk announces
 * itself only after its reserve, or if the hook looks before its own, pan finds a counterexample.
 *
 * As in pages.pml the reader applies within the step that submits.
 */
#define NR_RECORDS 8	/* 2 changes, FORK, the child whole, the child's change, 2 looks, 1 spare */
#define UNKNOWN 7

#define FORKER 0
#define CHILD 1
#define FORK 2		/* what a record is about, where it is not a page */

byte kernel[2] = UNKNOWN;
byte atlas[2] = UNKNOWN;

typedef record {
	bool submitted;
	byte about;	/* FORKER or CHILD: it holds `value`; FORK: CHILD begins as FORKER */
	byte value
};
record ring[NR_RECORDS];
byte tail;
byte head;

byte busy;
bool walk_is_here;

inline apply()
{
	if
	:: ring[head].about == FORK -> atlas[CHILD] = atlas[FORKER]
	:: else -> atlas[ring[head].about] = ring[head].value
	fi;
	ring[head].submitted = false;
	ring[head].about = 0;
	ring[head].value = 0;
	head++
}

inline reserve()
{
	d_step { place = tail; tail++ }
}

inline submit(what)
{
	d_step {
		ring[place].about = what;
		ring[place].value = value;
		ring[place].submitted = true;
		value = 0;
		do
		:: head < NR_RECORDS && ring[head].submitted -> apply()
		:: else -> break
		od;
		place = 0
	}
}

inline check(page)
{
	assert(busy != 0 || head != tail || atlas[page] == kernel[page])
}

inline quiet()
{
	d_step { busy--; check(FORKER); check(CHILD) }
}

inline change(page, new)
{
	d_step { busy++; kernel[page] = new }
	reserve();
	value = kernel[page];
	submit(page);
	quiet()
}

proctype child()
{
	byte place, value;

	change(CHILD, 3)
}

proctype forker()
{
	byte place, value;
	bool look;

	change(FORKER, 1);
	d_step { busy++; kernel[CHILD] = kernel[FORKER] }
#ifdef CHECKED
	reserve();
	look = walk_is_here;
#else
	look = walk_is_here;
	reserve();
#endif
	submit(FORK);
	if
	:: look ->
		look = false;
		reserve();
		value = kernel[CHILD];
		submit(CHILD)
	:: else
	fi;
	quiet();
	run child();
	change(FORKER, 2)
}

proctype walker()
{
	byte place, value, looks;

	do
	:: looks < 2 ->
		busy++;
#ifdef ANNOUNCED
		walk_is_here = true;
		reserve();
#else
		reserve();
		walk_is_here = true;
#endif
		value = kernel[FORKER];
		submit(FORKER);
		walk_is_here = false;
		looks++;
		quiet()
	:: else -> break
	od
}

init {
	atomic {
		run forker();
		run walker()
	}
}

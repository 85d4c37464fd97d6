// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Names of what is mapped, as /proc/PID/maps prints them to us: the walk from a dentry over its
 * mounts to our root directory is that of fs/d_path.c.
 */
#include "observe.bpf.h"
#include "text.bpf.h"

#define FMODE_MAYBE_BACKING 0x3000000 /* FMODE_BACKING is bit 25 in Linux 6.5, and 24 later */
#define ANON_INODE_FS_MAGIC 0x09041934
#define SOCKFS_MAGIC 0x534F434B

#define PATH_COMPONENTS 4096 /* and mounts on the way, at most */
#define SPECIAL_NAME_MAX 32
#define ANON_NAME_MAX 80 /* ANON_VMA_NAME_MAX_LEN */

struct opened { /* what a struct file shows to users */
	u64 mnt, dentry, inode;
};

/*
 * Is it the backing file of an overlay? The flag has moved, and its old place means something else
 * now: what is behind the struct file must also be a path, a dentry in the filesystem of its mount.
 */
static __always_inline int backing_read(struct opened *o, struct file *f)
{
	struct backing_file *backing = (void *)f;
	struct vfsmount *mnt;
	struct dentry *dentry;
	struct super_block *sb;

	if (!bpf_core_field_exists(backing->user_path) ||
	    !(BPF_CORE_READ(f, f_mode) & FMODE_MAYBE_BACKING))
		return 0;
	mnt = BPF_CORE_READ(backing, user_path.mnt);
	dentry = BPF_CORE_READ(backing, user_path.dentry);
	sb = BPF_CORE_READ(dentry, d_sb);
	if (!sb || BPF_CORE_READ(mnt, mnt_sb) != sb)
		return 0;
	o->mnt = (u64)mnt;
	o->dentry = (u64)dentry;
	o->inode = (u64)BPF_CORE_READ(dentry, d_inode);
	return 1;
}

static __always_inline void opened_read(struct opened *o, u64 file)
{
	struct file *f = (void *)file;

	if (backing_read(o, f))
		return;
	o->mnt = (u64)BPF_CORE_READ(f, f_path.mnt);
	o->dentry = (u64)BPF_CORE_READ(f, f_path.dentry);
	o->inode = (u64)BPF_CORE_READ(f, f_inode);
}

/* One component, or one step over a mount. 1 at the top. */
static int path_component(u32 i, u32 *nr)
{
	struct scratch *s = scratch_get(*nr);
	struct text_chain *c;
	struct dentry *dentry, *parent;
	struct vfsmount *mnt;
	struct qstr name;

	if (!s)
		return 1;
	c = &s->chain;
	dentry = (void *)c->at;
	mnt = (void *)c->mnt;
	if (c->at == root_dentry && c->mnt == root_mnt)
		return 1;
	parent = BPF_CORE_READ(dentry, d_parent);
	if (dentry == BPF_CORE_READ(mnt, mnt_root)) {
		struct mount *mount = (void *)(c->mnt - bpf_core_field_offset(struct mount, mnt));
		struct mount *above = BPF_CORE_READ(mount, mnt_parent);

		if (above == mount) /* the top of its namespace, or a detached mount */
			return 1;
		c->at = (u64)BPF_CORE_READ(mount, mnt_mountpoint);
		c->mnt = (u64)above + bpf_core_field_offset(struct mount, mnt);
		c->print = mix(c->print, c->mnt);
		return 0;
	}
	if (dentry == parent) { /* moved out of the mount it was reached through: just "/" */
		c->total = 0;
		c->room = REC_NAME_MAX;
		return 1;
	}
	name.hash_len = BPF_CORE_READ(dentry, d_name.hash_len);
	name.name = BPF_CORE_READ(dentry, d_name.name);
	c->print = mix(mix(c->print, c->at), name.hash_len);
	c->at = (u64)parent;
	return text_component(s, name.name, name.len);
}

/* The path to text[]; its length. *flags gets REC_FILE_CUT when its front did not fit, or when it
 * would not hold still. */
static __always_inline u32 path_write(u32 nr, const struct opened *o, u16 *flags)
{
	struct scratch *s = scratch_get(nr);
	u64 print = 0;
	u32 len = 0, still = 0;

	if (!s)
		return 0;
	for (u32 i = 0; i < CHAIN_TRIES && !still; i++) {
		text_pass(s, o->dentry, o->mnt, 0, REC_NAME_MAX);
		bpf_loop(PATH_COMPONENTS, path_component, &nr, 0);
		print = s->chain.print;
		len = s->chain.total & REC_NAME_MAX;
		text_pass(s, o->dentry, o->mnt, 1, len);
		bpf_loop(PATH_COMPONENTS, path_component, &nr, 0);
		still = s->chain.print == print && s->chain.total == len;
	}
	if (s->chain.cut || !still)
		*flags |= REC_FILE_CUT;
	if (!len) {
		s->text[0] = '/';
		len = 1;
	}
	return len;
}

/* Files without a path: what their d_dname() prints. */
static __always_inline u32 pseudo_write(u32 nr, const struct opened *o, u64 magic, u64 inode,
					u16 *flags)
{
	struct scratch *s = scratch_get(nr);
	struct dentry *dentry = (void *)o->dentry;
	u32 len = BPF_CORE_READ(dentry, d_name.len) & COMPONENT_MAX;
	const unsigned char *name = BPF_CORE_READ(dentry, d_name.name);

	if (!s)
		return 0;
	if (magic == SOCKFS_MAGIC) {
		long n = BPF_SNPRINTF(s->text, 64, "socket:[%llu]", inode);

		return n > 0 ? n - 1 : 0;
	}
	if (magic == ANON_INODE_FS_MAGIC) {
		__builtin_memcpy(s->text, "anon_inode:", 11);
		bpf_probe_read_kernel(s->text + 11, len, name);
		return len + 11;
	}
	s->text[0] = '/';
	bpf_probe_read_kernel(s->text + 1, len, name);
	*flags |= REC_FILE_DELETED; /* simple_dname() says so always */
	return len + 1;
}

/* Send the FILE record at text[]; 0, or -1 and counted. */
static __always_inline int file_send(struct scratch *s, struct rec_file *r, u32 len)
{
	u32 size;

	len &= REC_NAME_MAX;
	size = (sizeof(*r) + len + 7) & ~7u;
	header_fill(&r->hdr, REC_FILE, 0, size, 0, 0);
	r->name_len = len;
	if (bpf_ringbuf_output(&ring, r, size, ring_wakeup())) {
		count(&counters.ring_full[REC_FILE]);
		return -1;
	}
	return 0;
}

static __always_inline int told_already(u64 key, u64 print)
{
	struct told *told = bpf_map_lookup_elem(&files_told, &key);

	return told && told->epoch == name_epoch && told->print == print;
}

static __always_inline void told_now(u64 key, u64 print)
{
	struct told told = {.print = print, .epoch = name_epoch};

	bpf_map_update_elem(&files_told, &key, &told, BPF_ANY);
}

__attribute__((noinline)) u64 file_tell(u32 scratch_nr, u64 file)
{
	struct scratch *s = scratch_get(scratch_nr);
	struct rec_file *r;
	struct dentry *dentry;
	struct inode *inode;
	struct vfsmount *mnt;
	struct super_block *sb;
	struct opened o;
	u64 key, print;
	u32 len;
	u16 flags = 0;

	if (!s)
		return 0;
	opened_read(&o, file);
	dentry = (void *)o.dentry;
	inode = (void *)o.inode;
	mnt = (void *)o.mnt;
	r = scratch_record(s, rec_file);
	r->inode = BPF_CORE_READ(inode, i_ino);
	r->generation = BPF_CORE_READ(inode, i_generation);
	key = mix(mix(mix(mix(o.inode, r->inode), r->generation), o.dentry), o.mnt) | 1;
	if (!BPF_CORE_READ(dentry, d_hash.pprev) && BPF_CORE_READ(dentry, d_parent) != dentry)
		flags |= REC_FILE_DELETED;
	print =
	    mix(mix((u64)BPF_CORE_READ(dentry, d_parent), BPF_CORE_READ(dentry, d_name.hash_len)),
		flags);
	if (told_already(key, print))
		return key;

	sb = BPF_CORE_READ(inode, i_sb);
	r->file = key;
	r->dev = BPF_CORE_READ(sb, s_dev);
	if (BPF_CORE_READ(dentry, d_op) && BPF_CORE_READ(dentry, d_op, d_dname) &&
	    BPF_CORE_READ(dentry, d_parent) == dentry && BPF_CORE_READ(mnt, mnt_root) != dentry) {
		r->file_kind = REC_FILE_PSEUDO;
		len = pseudo_write(scratch_nr, &o, BPF_CORE_READ(sb, s_magic), r->inode, &flags);
	} else {
		r->file_kind = REC_FILE_PATH;
		len = path_write(scratch_nr, &o, &flags);
	}
	r->file_flags = flags;
	if (!file_send(s, r, len))
		told_now(key, print);
	return key;
}

/* Tell a name that is no path's, of shared memory (a struct file) or of none (0); key. */
static __always_inline u64 name_tell(struct scratch *s, u64 key, u32 kind, u32 len, u64 file)
{
	struct rec_file *r = scratch_record(s, rec_file);
	struct inode *inode = file ? BPF_CORE_READ((struct file *)file, f_inode) : 0;

	if (told_already(key, 0))
		return key;
	r->file = key;
	r->inode = inode ? BPF_CORE_READ(inode, i_ino) : 0;
	r->dev = inode ? BPF_CORE_READ(inode, i_sb, s_dev) : 0;
	r->generation = inode ? BPF_CORE_READ(inode, i_generation) : 0;
	r->file_kind = kind;
	r->file_flags = 0;
	if (!file_send(s, r, len))
		told_now(key, 0);
	return key;
}

/* The name that the process gave to memory: private (file 0), or shared without a name of its own.
 */
static __always_inline u64 anon_name_tell(struct scratch *s, u64 file)
{
	u32 offset = bpf_core_field_offset(struct vm_area_struct___anon_name, anon_name);
	struct anon_vma_name *name = (void *)s->vma[(offset / 8) % VMA_WORDS];
	u64 key = file;
	long len;

	/* d09e8ca6cb93, Linux 6.2: before, it is something else where there is a file. */
	if (file && offset == bpf_core_field_offset(struct vm_area_struct, shared))
		return 0;
	if (!name)
		return 0;
	__builtin_memset(s->text, 0, ANON_NAME_MAX);
	len = bpf_probe_read_kernel_str(s->text, ANON_NAME_MAX,
					(void *)name + bpf_core_field_offset(name->name));
	if (len <= 1)
		return 0;
	for (u32 i = 0; i < ANON_NAME_MAX / 8; i++)
		key = mix(key, ((u64 *)s->text)[i]);
	return name_tell(s, key | 1, REC_FILE_ANON, len - 1, file);
}

__attribute__((noinline)) u64 special_tell(u32 scratch_nr, u64 file)
{
	struct scratch *s = scratch_get(scratch_nr);
	struct vm_special_mapping *special;
	const char *name;
	long len;

	if (!s)
		return 0;
	if (!file && special_ops && vma_field(s, vm_ops) == special_ops) {
		special = (void *)vma_field(s, vm_private_data);
		name = BPF_CORE_READ(special, name);
		if (told_already((u64)name | 1, 0))
			return (u64)name | 1;
		len = bpf_probe_read_kernel_str(s->text, SPECIAL_NAME_MAX, name);
		return len > 1 ? name_tell(s, (u64)name | 1, REC_FILE_SPECIAL, len - 1, 0) : 0;
	}
	if (bpf_core_field_exists(struct vm_area_struct___anon_name, anon_name))
		return anon_name_tell(s, file);
	return 0;
}

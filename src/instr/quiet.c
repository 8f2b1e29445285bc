/* SPDX-License-Identifier: Apache-2.0
 *
 * quiet: plain accesses that follow each other in one block and go to one object (a constant
 * distance from one pointer) are mostly all of interest or none of them. They are looked at
 * together, before the first: if no step is due up to the last and all cells are the thread's
 * own, the steps are counted at once and the hooks are passed over; otherwise each hook does
 * all it does. Nothing that counts steps stands between them, so that both ways leave the same
 * behind. */
#include "instr/insert.h"

#include "base/str.h"

enum { GROUP_MIN = 3, GROUP_MAX = 8 };

/* ---- which ------------------------------------------------------------------------------ */

static bool is_constant_step(LLVMValueRef address)
{
    if (!LLVMIsAGetElementPtrInst(address))
        return false;
    int count = LLVMGetNumOperands(address);
    for (int i = 1; i < count; i++)
        if (!LLVMIsAConstantInt(LLVMGetOperand(address, (unsigned)i)))
            return false;
    return true;
}

static LLVMValueRef root_of(LLVMValueRef address)
{
    while (is_constant_step(address))
        address = LLVMGetOperand(address, 0);
    return address;
}

/* Nothing between them can call a hook, or never come back. */
static bool is_undisturbed(LLVMValueRef from, LLVMValueRef to)
{
    for (LLVMValueRef i = from; i && i != to; i = LLVMGetNextInstruction(i))
        if (LLVMIsACallInst(i) && !is_intrinsic(i, "llvm."))
            return false;
    return true;
}

uint32_t group_length(const struct insert *in, uint32_t first, uint32_t end)
{
    struct pass *p = in->p;
    const struct op *ops = p->ops.at;
    uint32_t i = first;
    if (!fast_is(in, &ops[first]) || !is_scalar(p, &ops[first]))
        return 1;
    LLVMValueRef root = root_of(access_address(ops[first].inst));
    LLVMBasicBlockRef block = LLVMGetInstructionParent(ops[first].inst);
    for (i++; i < end && i - first < GROUP_MAX; i++)
        if (!is_scalar(p, &ops[i]) || LLVMGetInstructionParent(ops[i].inst) != block ||
            root_of(access_address(ops[i].inst)) != root ||
            !is_undisturbed(ops[i - 1].inst, ops[i].inst))
            break;
    return i - first < GROUP_MIN ? 1 : i - first;
}

/* ---- the look at all of them ------------------------------------------------------------ */

static bool is_write(const struct op *op)
{
    return op->kind == OP_WRITE;
}

static unsigned bytes_of(struct pass *p, const struct op *op)
{
    return (unsigned)store_bytes(p, access_type(op->inst));
}

static void add_cell(struct str *code, unsigned k, bool writes, unsigned bytes)
{
    str_add(code, "  %%n%u = ptrtoint ptr %%a%u to i64\n", k, k);
    str_add(code, "  %%odd%u = and i64 %%n%u, %u\n", k, k, bytes - 1);
    str_add(code, "  %%unit%u = and i64 %%n%u, %%mask\n", k, k);
    if (writes) {
        str_add(code, "  %%at%u = getelementptr i8, ptr %%shadow, i64 %%unit%u\n", k, k);
        str_add(code, "  %%cell%u = load i64, ptr %%at%u\n", k, k);
        str_add(code, "  %%off%u = xor i64 %%cell%u, %%own\n", k, k);
    } else {
        str_add(code, "  %%at%u = getelementptr i8, ptr %%readers, i64 %%unit%u\n", k, k);
        str_add(code, "  %%cell%u = load i32, ptr %%at%u\n", k, k);
        str_add(code, "  %%differ%u = xor i32 %%cell%u, %%own.r\n", k, k);
        str_add(code, "  %%off%u = zext i32 %%differ%u to i64\n", k, k);
    }
    str_add(code, "  %%both%u = or i64 %%odd%u, %%off%u\n", k, k, k);
    if (k == 0)
        str_add(code, "  %%sum0 = add i64 %%both0, 0\n");
    else
        str_add(code, "  %%sum%u = or i64 %%sum%u, %%both%u\n", k, k - 1, k);
}

static void add_look(struct str *code, const char *name, struct pass *p, const struct op *ops,
                     uint32_t count)
{
    uint32_t last_write = 0;
    str_add(code,
            "@__heddle_self = external thread_local(initialexec) global ptr\n"
            "declare ptr @llvm.threadlocal.address.p0(ptr)\n"
            "define internal i1 @%s(",
            name);
    for (uint32_t k = 0; k < count; k++)
        str_add(code, "%sptr %%a%u", k ? ", " : "", k);
    str_add(code,
            ") alwaysinline nounwind {\n"
            "entry:\n"
            "  %%self = call ptr @llvm.threadlocal.address.p0(ptr @__heddle_self)\n"
            "  %%hot = load ptr, ptr %%self\n"
            "  %%off = icmp eq ptr %%hot, null\n"
            "  br i1 %%off, label %%yes, label %%on, !prof !0\n"
            "on:\n"
            "  %%before = load i64, ptr %%hot\n"
            "  %%step = add i64 %%before, %u\n"
            "  %%until.at = getelementptr i8, ptr %%hot, i64 8\n"
            "  %%until = load volatile i64, ptr %%until.at\n"
            "  %%is.due = icmp uge i64 %%step, %%until\n"
            "  %%own.at = getelementptr i8, ptr %%hot, i64 24\n"
            "  %%own = load i64, ptr %%own.at\n"
            "  %%own.high = lshr i64 %%own, 32\n"
            "  %%own.r = trunc i64 %%own.high to i32\n"
            "  %%shadow.at = getelementptr i8, ptr %%hot, i64 32\n"
            "  %%shadow = load ptr, ptr %%shadow.at\n"
            "  %%readers = getelementptr i8, ptr %%shadow, i64 4\n"
            "  %%mask.at = getelementptr i8, ptr %%hot, i64 40\n"
            "  %%mask = load i64, ptr %%mask.at\n",
            count);
    for (uint32_t k = 0; k < count; k++) {
        add_cell(code, k, is_write(&ops[k]), bytes_of(p, &ops[k]));
        last_write = is_write(&ops[k]) ? k + 1 : last_write;
    }
    str_add(code,
            "  %%is.other = icmp ne i64 %%sum%u, 0\n"
            "  %%any = or i1 %%is.due, %%is.other\n"
            "  br i1 %%any, label %%no, label %%quiet, !prof !0\n"
            "quiet:\n"
            "  store i64 %%step, ptr %%hot\n",
            count - 1);
    if (last_write)
        str_add(code,
                "  %%write = add i64 %%before, %u\n"
                "  %%write.at = getelementptr i8, ptr %%hot, i64 16\n"
                "  store i64 %%write, ptr %%write.at\n",
                last_write);
    str_add(code, "  br label %%yes\n"
                  "yes:\n"
                  "  ret i1 1\n"
                  "no:\n"
                  "  ret i1 0\n"
                  "}\n"
                  "!0 = !{!\"branch_weights\", i32 1, i32 1000}\n");
}

/* The address, from the root on: the instruction that makes it may come later. */
static LLVMValueRef address_again(struct insert *in, LLVMValueRef address)
{
    if (!is_constant_step(address))
        return address;
    LLVMValueRef from = address_again(in, LLVMGetOperand(address, 0));
    LLVMValueRef copy = LLVMInstructionClone(address);
    LLVMSetOperand(copy, 0, from);
    LLVMInsertIntoBuilder(in->b, copy);
    return copy;
}

static LLVMValueRef insert_look(struct insert *in, const struct op *ops, uint32_t count)
{
    struct pass *p = in->p;
    AUTO(str) struct str name = {0}, code = {0};
    LLVMTypeRef types[GROUP_MAX];
    LLVMValueRef addresses[GROUP_MAX];
    str_add(&name, "__heddle_quiet");
    for (uint32_t k = 0; k < count; k++) {
        str_add(&name, "_%s%u", is_write(&ops[k]) ? "write" : "read", bytes_of(p, &ops[k]));
        addresses[k] = address_again(in, access_address(ops[k].inst));
        types[k] = p->t_ptr;
    }
    add_look(&code, name.at, p, ops, count);
    LLVMTypeRef type =
        LLVMFunctionType(LLVMInt1TypeInContext(p->ctx), types, (unsigned)count, false);
    return LLVMBuildCall2(in->b, type, text_function(p, name.at, code.at), addresses,
                          (unsigned)count, "");
}

/* ---- the hooks, unless all is quiet ------------------------------------------------------ */

static const char branch_text[] =
    "@__heddle_news = external global ptr\n"
    "declare void @__heddle_branch(i32, ptr) nounwind\n"
    "define internal void @__heddle_branch_unless(i1 %quiet, i32 %why, ptr %site)\n"
    "    alwaysinline nounwind {\n"
    "entry:\n"
    "  br i1 %quiet, label %end, label %look, !prof !0\n"
    "look:\n" IR_TELL_IF_NEWS "  call void @__heddle_branch(i32 %why, ptr %site)\n" IR_TOLD;

static void insert_branch_unless(struct insert *in, LLVMValueRef quiet, int why,
                                 LLVMValueRef site)
{
    struct pass *p = in->p;
    LLVMTypeRef args[] = {LLVMInt1TypeInContext(p->ctx), p->t_i32, p->t_ptr};
    LLVMBuildCall2(in->b, LLVMFunctionType(p->t_void, args, 3, false),
                   text_function(p, "__heddle_branch_unless", branch_text),
                   (LLVMValueRef[]){quiet, u32(in, (uint64_t)why), site}, 3, "");
}

static void insert_hook_unless(struct insert *in, LLVMValueRef quiet, const struct op *op,
                               LLVMValueRef site)
{
    struct pass *p = in->p;
    AUTO(str) struct str name = {0}, code = {0};
    bool writes = is_write(op);
    const char *what = writes ? "write" : "read", *value = writes ? "i64 %value, " : "";
    unsigned bytes = bytes_of(p, op);
    str_add(&name, "__heddle_%s%u_unless", what, bytes);
    str_add(&code, "declare void @__heddle_%s%u(ptr, %sptr) nounwind\n", what, bytes,
            writes ? "i64, " : "");
    str_add(&code, "define internal void @%s(i1 %%quiet, ptr %%addr, %sptr %%site)\n", name.at,
            value);
    str_add(&code,
            "    alwaysinline nounwind {\n"
            "entry:\n"
            "  br i1 %%quiet, label %%end, label %%tell, !prof !0\n"
            "tell:\n"
            "  call void @__heddle_%s%u(ptr %%addr, %sptr %%site)\n"
            "  br label %%end\n"
            "end:\n"
            "  ret void\n"
            "}\n"
            "!0 = !{!\"branch_weights\", i32 1000, i32 1}\n",
            what, bytes, value);
    LLVMTypeRef types[4] = {LLVMInt1TypeInContext(p->ctx), p->t_ptr, p->t_i64, p->t_ptr};
    LLVMValueRef args[4] = {quiet, access_address(op->inst), NULL, site};
    if (writes)
        args[2] = bits_of(in, LLVMGetOperand(op->inst, 0));
    else
        types[2] = p->t_ptr, args[2] = site;
    unsigned count = writes ? 4 : 3;
    LLVMBuildCall2(in->b, LLVMFunctionType(p->t_void, types, count, false),
                   text_function(p, name.at, code.at), args, count, "");
}

void insert_group(struct insert *in, uint32_t first, uint32_t count)
{
    struct pass *p = in->p;
    const struct op *ops = &p->ops.at[first];
    place_before(in, ops[0].inst, ops[0].inst);
    bool is_told = ops[0].why != WHY_NONE;
    if (is_told)
        insert_branch(in, ops[0].why, site_address(p, first));
    LLVMValueRef quiet = insert_look(in, ops, count);
    for (uint32_t k = 0; k < count; k++) {
        LLVMValueRef site = site_address(p, first + k);
        place_before(in, ops[k].inst, ops[k].inst);
        /* quiet accesses bring no news: what there was is told already, or is told now */
        if (k && ops[k].why != WHY_NONE && is_told)
            insert_branch_unless(in, quiet, ops[k].why, site);
        else if (k && ops[k].why != WHY_NONE)
            insert_branch(in, ops[k].why, site);
        is_told |= ops[k].why != WHY_NONE;
        insert_hook_unless(in, quiet, &ops[k], site);
    }
}

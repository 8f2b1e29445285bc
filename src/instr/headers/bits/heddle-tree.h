/* SPDX-License-Identifier: Apache-2.0
 *
 * heddle-tree: how the trees of std::map and std::set keep their balance. libstdc++ has these
 * functions compiled; here they are made in the unit that uses them, and what they do to nodes
 * is seen. Red-black trees as in Cormen and others, "Introduction to Algorithms", 13; the head
 * knows the root (parent), the first node (left) and the last one (right), and is red. */
#ifndef HEDDLE_TREE_H
#define HEDDLE_TREE_H
#pragma GCC system_header

#define HEDDLE_HERE __attribute__((__visibility__("hidden"))) inline

namespace std
{

typedef _Rb_tree_node_base __heddle_node;

/* ---- one node to the next ---------------------------------------------------------------- */

HEDDLE_HERE __heddle_node *_Rb_tree_increment(__heddle_node *__x) throw()
{
    if (__x->_M_right)
        return __heddle_node::_S_minimum(__x->_M_right);
    __heddle_node *__above = __x->_M_parent;
    while (__x == __above->_M_right) {
        __x = __above;
        __above = __above->_M_parent;
    }
    return __x->_M_right == __above ? __x : __above; /* from the root to the head */
}

HEDDLE_HERE const __heddle_node *_Rb_tree_increment(const __heddle_node *__x) throw()
{
    return _Rb_tree_increment(const_cast<__heddle_node *>(__x));
}

HEDDLE_HERE __heddle_node *_Rb_tree_decrement(__heddle_node *__x) throw()
{
    if (__x->_M_color == _S_red && __x->_M_parent->_M_parent == __x) /* the head */
        return __x->_M_right;
    if (__x->_M_left)
        return __heddle_node::_S_maximum(__x->_M_left);
    __heddle_node *__above = __x->_M_parent;
    while (__x == __above->_M_left) {
        __x = __above;
        __above = __above->_M_parent;
    }
    return __above;
}

HEDDLE_HERE const __heddle_node *_Rb_tree_decrement(const __heddle_node *__x) throw()
{
    return _Rb_tree_decrement(const_cast<__heddle_node *>(__x));
}

/* ---- turning ----------------------------------------------------------------------------- */

/* Where __above, or the head, leads to __x it leads to __to. */
HEDDLE_HERE void __heddle_replace(__heddle_node *__x, __heddle_node *__to,
                                  __heddle_node *&__root)
{
    __heddle_node *__above = __x->_M_parent;
    if (__x == __root)
        __root = __to;
    else if (__x == __above->_M_left)
        __above->_M_left = __to;
    else
        __above->_M_right = __to;
}

/* Left, right; what is said of one side holds of the other with both exchanged. */
typedef __heddle_node *__heddle_node::*__heddle_side;

/* __x goes down to the side __to, and what was on its other side goes up. */
HEDDLE_HERE void __heddle_turn(__heddle_node *__x, __heddle_side __to, __heddle_side __from,
                               __heddle_node *&__root)
{
    __heddle_node *__up = __x->*__from;
    __x->*__from = __up->*__to;
    if (__up->*__to)
        (__up->*__to)->_M_parent = __x;
    __up->_M_parent = __x->_M_parent;
    __heddle_replace(__x, __up, __root);
    __up->*__to = __x;
    __x->_M_parent = __up;
}

/* ---- inserting --------------------------------------------------------------------------- */

/* Below a red node, on this side of what is above that, hangs a red one: one step, and where to
 * go on. */
HEDDLE_HERE __heddle_node *__heddle_inserted(__heddle_node *__x, __heddle_side __side,
                                             __heddle_side __opposite, __heddle_node *&__root)
{
    __heddle_node *__above = __x->_M_parent, *__top = __above->_M_parent;
    __heddle_node *__other = __top->*__opposite;
    if (__other && __other->_M_color == _S_red) {
        __above->_M_color = __other->_M_color = _S_black;
        __top->_M_color = _S_red;
        return __top;
    }
    if (__x == __above->*__opposite) {
        __heddle_turn(__above, __side, __opposite, __root);
        __x = __above;
        __above = __x->_M_parent;
    }
    __above->_M_color = _S_black;
    __top->_M_color = _S_red;
    __heddle_turn(__top, __opposite, __side, __root);
    return __x;
}

HEDDLE_HERE void _Rb_tree_insert_and_rebalance(const bool __is_left, __heddle_node *__x,
                                               __heddle_node *__above,
                                               __heddle_node &__head) throw()
{
    __x->_M_parent = __above;
    __x->_M_left = __x->_M_right = 0;
    __x->_M_color = _S_red;
    if (__is_left) {
        __above->_M_left = __x; /* above may be the head: then it is the first one */
        if (__above == &__head)
            __head._M_parent = __head._M_right = __x;
        else if (__above == __head._M_left)
            __head._M_left = __x;
    } else {
        __above->_M_right = __x;
        if (__above == __head._M_right)
            __head._M_right = __x;
    }
    __heddle_node *&__root = __head._M_parent;
    while (__x != __root && __x->_M_parent->_M_color == _S_red) {
        __above = __x->_M_parent;
        __x = __above == __above->_M_parent->_M_left
                  ? __heddle_inserted(__x, &__heddle_node::_M_left, &__heddle_node::_M_right,
                                      __root)
                  : __heddle_inserted(__x, &__heddle_node::_M_right, &__heddle_node::_M_left,
                                      __root);
    }
    if (__root->_M_color != _S_black)
        __root->_M_color = _S_black;
}

/* ---- erasing ----------------------------------------------------------------------------- */

/* What is below __above on this side, and may be none, has a black node too few above it. The
 * root stands for: nothing left to do. */
HEDDLE_HERE __heddle_node *__heddle_erased(__heddle_node *__above, __heddle_side __side,
                                           __heddle_side __opposite, __heddle_node *&__root)
{
    __heddle_node *__other = __above->*__opposite;
    if (__other->_M_color == _S_red) {
        __other->_M_color = _S_black;
        __above->_M_color = _S_red;
        __heddle_turn(__above, __side, __opposite, __root);
        __other = __above->*__opposite;
    }
    __heddle_node *__near = __other->*__side, *__far = __other->*__opposite;
    bool __far_is_red = __far && __far->_M_color == _S_red;
    if (!__far_is_red && (!__near || __near->_M_color == _S_black)) {
        __other->_M_color = _S_red;
        return __above;
    }
    if (!__far_is_red) {
        __near->_M_color = _S_black;
        __other->_M_color = _S_red;
        __heddle_turn(__other, __opposite, __side, __root);
        __other = __above->*__opposite;
        __far = __other->*__opposite;
    }
    __other->_M_color = __above->_M_color;
    __above->_M_color = _S_black;
    __far->_M_color = _S_black;
    __heddle_turn(__above, __side, __opposite, __root);
    return __root;
}

/* The next one takes the place of __z, which has two below it, and its colour. What was below
 * the next one goes where that was: out. Gives what is above it now. */
HEDDLE_HERE __heddle_node *__heddle_put_next(__heddle_node *__z, __heddle_node *__next,
                                             __heddle_node *&__root)
{
    __heddle_node *__above = __next, *__below = __next->_M_right;
    __z->_M_left->_M_parent = __next;
    __next->_M_left = __z->_M_left;
    if (__next != __z->_M_right) {
        __above = __next->_M_parent;
        if (__below)
            __below->_M_parent = __above;
        __above->_M_left = __below;
        __next->_M_right = __z->_M_right;
        __z->_M_right->_M_parent = __next;
    }
    __heddle_replace(__z, __next, __root);
    __next->_M_parent = __z->_M_parent;
    _Rb_tree_color __color = __next->_M_color;
    __next->_M_color = __z->_M_color;
    __z->_M_color = __color;
    return __above;
}

/* __z has at most one below it. */
HEDDLE_HERE __heddle_node *__heddle_put_below(__heddle_node *__z, __heddle_node *__below,
                                              __heddle_node &__head)
{
    __heddle_node *__above = __z->_M_parent;
    if (__below)
        __below->_M_parent = __above;
    __heddle_replace(__z, __below, __head._M_parent);
    if (__head._M_left == __z)
        __head._M_left = __below ? __heddle_node::_S_minimum(__below) : __above;
    if (__head._M_right == __z)
        __head._M_right = __below ? __heddle_node::_S_maximum(__below) : __above;
    return __above;
}

HEDDLE_HERE __heddle_node *_Rb_tree_rebalance_for_erase(__heddle_node *const __z,
                                                        __heddle_node &__head) throw()
{
    __heddle_node *&__root = __head._M_parent;
    __heddle_node *__x, *__above;
    if (__z->_M_left && __z->_M_right) {
        __heddle_node *__next = __heddle_node::_S_minimum(__z->_M_right);
        __x = __next->_M_right;
        __above = __heddle_put_next(__z, __next, __root);
    } else {
        __x = __z->_M_left ? __z->_M_left : __z->_M_right;
        __above = __heddle_put_below(__z, __x, __head);
    }
    if (__z->_M_color == _S_red)
        return __z;
    while (__x != __root && (!__x || __x->_M_color == _S_black)) {
        __x = __x == __above->_M_left ? __heddle_erased(__above, &__heddle_node::_M_left,
                                                        &__heddle_node::_M_right, __root)
                                      : __heddle_erased(__above, &__heddle_node::_M_right,
                                                        &__heddle_node::_M_left, __root);
        __above = __x->_M_parent;
    }
    if (__x)
        __x->_M_color = _S_black;
    return __z;
}

} /* namespace std */

#undef HEDDLE_HERE
#endif

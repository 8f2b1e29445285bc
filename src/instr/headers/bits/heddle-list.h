/* SPDX-License-Identifier: Apache-2.0
 *
 * heddle-list: the links of std::list. libstdc++ has these functions compiled; here they are
 * made in the unit that uses them, and what they do to nodes is seen. */
#ifndef HEDDLE_LIST_H
#define HEDDLE_LIST_H
#pragma GCC system_header

#define HEDDLE_HERE __attribute__((__visibility__("hidden"))) inline

namespace std
{
namespace __detail
{

HEDDLE_HERE void _List_node_base::_M_hook(_List_node_base *const __next) _GLIBCXX_USE_NOEXCEPT
{
    _List_node_base *__before = __next->_M_prev;
    this->_M_next = __next;
    this->_M_prev = __before;
    __before->_M_next = this;
    __next->_M_prev = this;
}

HEDDLE_HERE void _List_node_base::_M_unhook() _GLIBCXX_USE_NOEXCEPT
{
    _List_node_base *__next = this->_M_next, *__before = this->_M_prev;
    __before->_M_next = __next;
    __next->_M_prev = __before;
}

/* What lies from __first up to, and without, __last goes before this. */
HEDDLE_HERE void
_List_node_base::_M_transfer(_List_node_base *const __first,
                             _List_node_base *const __last) _GLIBCXX_USE_NOEXCEPT
{
    if (this == __last || __first == __last)
        return;
    _List_node_base *__end = __last->_M_prev, *__before = this->_M_prev;
    __first->_M_prev->_M_next = __last;
    __last->_M_prev = __first->_M_prev;
    __before->_M_next = __first;
    __first->_M_prev = __before;
    __end->_M_next = this;
    this->_M_prev = __end;
}

HEDDLE_HERE void _List_node_base::_M_reverse() _GLIBCXX_USE_NOEXCEPT
{
    _List_node_base *__at = this;
    do {
        _List_node_base *__next = __at->_M_next;
        __at->_M_next = __at->_M_prev;
        __at->_M_prev = __next;
        __at = __next;
    } while (__at != this);
}

/* Both are the heads of lists. */
HEDDLE_HERE void _List_node_base::swap(_List_node_base &__a,
                                       _List_node_base &__b) _GLIBCXX_USE_NOEXCEPT
{
    bool __a_is_empty = __a._M_next == &__a, __b_is_empty = __b._M_next == &__b;
    _List_node_base __old = __a;
    __a._M_next = __b_is_empty ? &__a : __b._M_next;
    __a._M_prev = __b_is_empty ? &__a : __b._M_prev;
    __b._M_next = __a_is_empty ? &__b : __old._M_next;
    __b._M_prev = __a_is_empty ? &__b : __old._M_prev;
    __a._M_next->_M_prev = __a._M_prev->_M_next = &__a;
    __b._M_next->_M_prev = __b._M_prev->_M_next = &__b;
}

} /* namespace __detail */
} /* namespace std */

#undef HEDDLE_HERE
#endif

# SPDX-License-Identifier: Apache-2.0
# All programs, each checked from one run as a user would do it.
"$HERE/confirm"

# SPDX-License-Identifier: Apache-2.0
# Objects that end while others may still use them, and right ways to end them.
"$HERE/confirm" lifetime/

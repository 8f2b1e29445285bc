# SPDX-License-Identifier: Apache-2.0
# Programs with this bug, each as it is and mended: what one passing run predicts.
"$HERE/check" weak-race

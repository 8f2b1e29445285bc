# SPDX-License-Identifier: Apache-2.0
# Models of fixes whose sections hold different locks: they fail and pass as they should.
"$HERE/check" sling-2812 derby-4723 fop-1594

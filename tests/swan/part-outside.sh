# SPDX-License-Identifier: Apache-2.0
# Models of fixes that leave a part of the work outside: they fail and pass as they should.
"$HERE/check" tomcat-46384 derby-3308 derby-1573 derby-3909 derby-4124

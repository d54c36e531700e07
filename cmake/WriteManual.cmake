# Writes the manual page PAGE from `PROGRAM WORD --help`, so that both say the same. Run it with cmake -D
# PROGRAM=... -D WORD=... -D NAME=... -D VERSION=... -D PAGE=... -P.
execute_process(COMMAND ${PROGRAM} ${WORD} --help
  OUTPUT_VARIABLE help ERROR_VARIABLE why RESULT_VARIABLE status)
if(NOT status EQUAL 0)
  # Some MPIs start no program outside a job. A build does not fail for that.
  message(WARNING "the manual page of ${NAME} lacks its options: --help ends with ${status}: ${why}")
  set(help "${NAME} --help says what it does")
endif()
string(STRIP "${help}" help)
string(REGEX MATCH "^[^\n]*" summary "${help}")
string(REGEX REPLACE "\\. .*$" "" summary "${summary}")
string(REPLACE "\\" "\\e" help "${help}")
string(REGEX REPLACE "(^|\n)([.'])" "\\1\\\\&\\2" help "${help}")
string(REPLACE "-" "\\-" help "${help}")
string(TOUPPER ${NAME} title)
file(WRITE ${PAGE} ".TH ${title} 1 \"\" \"Pileus ${VERSION}\" \"Pileus\"
.SH NAME
${NAME} \\- ${summary}
.SH DESCRIPTION
.nf
${help}
.fi
.SH SEE ALSO
.BR pileus (1),
.BR pileus-server (1),
and the pages in share/doc/pileus of the installation, of which docs/start-here.md is the first
")

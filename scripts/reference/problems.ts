import {problems} from "../../shared/problems.ts"
import {code, page, prose, table} from "./markdown.ts"

const intro = `Every failure that a person or a program sees has one of these codes. Over HTTP it is the body
\`{type, title, status, detail, code, hint, requestId, issues?}\` (RFC 9457) with the status of the table; \`type\` is
\`urn:svc:problem:<code>\`. The command line prints it with its hint to stderr, as JSON with \`--json\`. \`detail\` and \`hint\` may
be more specific than the table. Codes are stable; titles and hints are for people and may change.`

export const problemsPage = (): string =>
  page(
    "Problems",
    intro,
    table(
      ["Code", "Status", "Title", "What to do"],
      Object.entries(problems).map(([name, {status, title, hint}]) => [
        code(name),
        String(status),
        prose(title),
        prose(hint),
      ]),
    ),
  )

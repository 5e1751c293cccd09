import {Option} from "clipanion"
import type {EndpointCheck} from "../../shared/api/endpoints.ts"
import {exit} from "../../shared/exit.ts"
import type {Static} from "../../shared/type.ts"
import {describeFinding} from "../kit/finding.ts"
import {rowCommand} from "../kit/rows.ts"

type Check = Static<typeof EndpointCheck>

export const check = rowCommand({
  description: "check an endpoint's credentials and permissions with its platform",
  details: `
      Tries the credentials on the platform, and names each missing scope and permission with the step that grants it. It changes nothing on the platform and leaves the connection as it is.

      Exits 1 if anything is missing. Needs a running Host; the endpoint itself may have failed.
    `,
  examples: [["Why is the endpoint not online?", "svc adapter check telegram~main"]],
  options: {endpoint: Option.String({name: "endpoint"})},
  run: async given => {
    const check = await given.post<Check>(`/api/endpoints/${encodeURIComponent(given.endpoint)}/check`)
    given.show(check, () => check.findings.map(lineOf).join("\n"))
    return check.ok ? exit.ok : exit.failed
  },
})

const lineOf = ({
  what,
  ok,
  detail = ok ? "in order" : "not in order",
  remediation,
}: Check["findings"][number]): string =>
  describeFinding({
    level: ok ? "ok" : "error",
    check: what,
    detail,
    ...(remediation === undefined ? {} : {remediation}),
  })

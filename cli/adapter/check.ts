import {Option} from "clipanion"
import type {Answer} from "../../shared/api/operations/client.ts"
import {describeFinding} from "../kit/finding.ts"
import {postCommand} from "../kit/rows.ts"

export const check = postCommand({
  description: "check an endpoint's credentials and permissions with its platform",
  details: `
      Tries the credentials on the platform, and names each missing scope and permission with the step that grants it. It changes nothing on the platform and leaves the connection as it is.

      Exits 1 if anything is missing. Needs a running Host; the endpoint itself may have failed.
    `,
  examples: [["Why is the endpoint not online?", "svc adapter check telegram~main"]],
  options: {name: Option.String({name: "endpoint"})},
  path: "/api/endpoints/:name/check",
  describe: ({findings}) => findings.map(lineOf).join("\n"),
  isOk: ({ok}) => ok,
})

type Checked = Answer<"POST", "/api/endpoints/:name/check">["findings"][number]

const lineOf = ({what: check, ok, detail = ok ? "in order" : "not in order", ...rest}: Checked): string =>
  describeFinding({level: ok ? "ok" : "error", check, detail, ...rest})

import {Command, Option} from "clipanion"
import type {EndpointCheck} from "../../shared/api/endpoints.ts"
import {type ExitCode, exit} from "../../shared/exit.ts"
import type {Static} from "../../shared/type.ts"
import {describeFinding} from "../kit/finding.ts"
import {connectHost} from "../kit/host-client.ts"
import {DataCommand} from "../kit/svc-command.ts"

type Check = Static<typeof EndpointCheck>

export class AdapterCheck extends DataCommand {
  static override paths = [["adapter", "check"]]
  static override usage = Command.Usage({
    description: "ask an endpoint's platform whether its account can work",
    details: `
      Tries the credentials live, and names each scope and permission that is missing, with what to do on the platform's side. It changes nothing there, and leaves the connection alone.

      Exits 1 where something is missing. Needs a running Host, whose endpoint may have failed.
    `,
    examples: [["Why is the endpoint not online?", "svc adapter check telegram~main"]],
  })

  endpoint = Option.String({name: "endpoint"})

  async run(): Promise<ExitCode> {
    const host = await connectHost(this.folder)
    const check = await host.post<Check>(`/api/endpoints/${encodeURIComponent(this.endpoint)}/check`)
    this.show(check, () => check.findings.map(lineOf).join("\n"))
    return check.ok ? exit.ok : exit.failed
  }
}

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

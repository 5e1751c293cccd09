import {Command} from "clipanion"
import type {EndpointView} from "../../shared/api/endpoints.ts"
import {type ExitCode, exit} from "../../shared/exit.ts"
import {connectHost} from "../kit/host-client.ts"
import {shorten, table} from "../kit/print.ts"
import {DataCommand} from "../kit/svc-command.ts"

export class EndpointList extends DataCommand {
  static override paths = [["endpoint", "list"]]
  static override usage = Command.Usage({
    description: "list the endpoints with their states; required ones that are not online come first",
    examples: [
      ["All endpoints", "svc endpoint list"],
      ["As JSON", "svc endpoint list --json"],
    ],
  })

  async run(): Promise<ExitCode> {
    const host = await connectHost(this.folder)
    const {items} = await host.get<{items: EndpointView[]}>("/api/endpoints?limit=500")
    this.show(items, () => table(["endpoint", "state", "since", "last event", "error"], items.map(rowOf)))
    return exit.ok
  }
}

const rowOf = ({name, state, since, lastEventAt, error, reason}: EndpointView) => [
  name,
  state,
  since,
  lastEventAt ?? "-",
  shorten(error ?? reason ?? "", 60),
]

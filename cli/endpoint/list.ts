import {Command} from "clipanion"
import type {EndpointView} from "../../shared/api/endpoints.ts"
import {shorten, table} from "../kit/print.ts"
import {DataCommand} from "../kit/svc-command.ts"

export class EndpointList extends DataCommand {
  static override usage = Command.Usage({
    description: "list the endpoints with their states; required ones that are not online come first",
    examples: [
      ["All endpoints", "svc endpoint list"],
      ["As JSON", "svc endpoint list --json"],
    ],
  })

  async run(): Promise<void> {
    const {items} = await this.get<{items: EndpointView[]}>("/api/endpoints?limit=500")
    this.show(items, () => table(["endpoint", "state", "since", "last event", "error"], items.map(rowOf)))
  }
}

const rowOf = ({name, state, since, lastEventAt, error, reason}: EndpointView) => [
  name,
  state,
  since,
  lastEventAt ?? "-",
  shorten(error ?? reason ?? "", 60),
]

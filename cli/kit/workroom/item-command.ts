import {Option} from "clipanion"
import type {ItemCommand} from "../../../shared/api/item-rules.ts"
import type {Item} from "../../../shared/api/workroom.ts"
import {type ExitCode, exit} from "../../../shared/exit.ts"
import {connectHost} from "../host-client.ts"
import {DataCommand} from "../svc-command.ts"
import {lineOf} from "./view.ts"

/** What the commands about one item share: which one, against which revision, and who gives it. */
export abstract class WorkItemCommand extends DataCommand {
  id = Option.String({name: "item"})
  as = Option.String("--as", {
    description: "Who gives the command: user:<id> or agent:<name>; the operator when left out",
  })
  revision = Option.String("--revision", {
    description: "The revision that it is made against; refused if the item has changed since (default: as it is now)",
  })

  /** Gives the command; what is undefined is left out. */
  async give(name: ItemCommand, fields: Readonly<Record<string, string | undefined>> = {}): Promise<ExitCode> {
    const host = await connectHost(this.folder)
    const path = `/api/workroom/items/${encodeURIComponent(this.id)}`
    const expectedRevision = this.revision === undefined ? (await host.get<Item>(path)).revision : Number(this.revision)
    const item = await host.post<Item>(`${path}/${name}`, {...fields, actor: this.as, expectedRevision})
    this.show(item, () => lineOf(item))
    return exit.ok
  }
}

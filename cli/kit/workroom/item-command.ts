import {Option} from "clipanion"
import type {ItemCommand} from "../../../shared/api/item-rules.ts"
import type {Item} from "../../../shared/api/workroom.ts"
import {connectHost} from "../host-client.ts"
import {DataCommand} from "../svc-command.ts"
import {lineOf} from "./view.ts"

/** The base of the commands about one item: its id, the expected revision and the actor. */
export abstract class WorkItemCommand extends DataCommand {
  id = Option.String({name: "item"})
  as = Option.String("--as", {description: "The actor: user:<id> or agent:<name> (default: the operator)"})
  revision = Option.String("--revision", {
    description: "The revision that you read; refused if the item has changed since (default: the present revision)",
  })

  /** Sends the command, without undefined fields. */
  async give(name: ItemCommand, fields: Readonly<Record<string, string | undefined>> = {}): Promise<void> {
    const host = await connectHost(this.folder)
    const path = `/api/workroom/items/${encodeURIComponent(this.id)}`
    const expectedRevision = this.revision === undefined ? (await host.get<Item>(path)).revision : Number(this.revision)
    this.show(await host.post<Item>(`${path}/${name}`, {...fields, actor: this.as, expectedRevision}), lineOf)
  }
}

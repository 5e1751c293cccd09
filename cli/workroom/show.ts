import {Command, Option} from "clipanion"
import type {Item} from "../../shared/api/workroom.ts"
import {facts} from "../kit/print.ts"
import {DataCommand} from "../kit/svc-command.ts"
import {blockerOf} from "../kit/workroom/view.ts"

export class WorkroomShow extends DataCommand {
  static override usage = Command.Usage({
    description: "show one work item with its comments",
    examples: [["An item, with its blocker if it is blocked", "svc workroom show 12"]],
  })

  id = Option.String({name: "item"})

  async run(): Promise<void> {
    this.show(await this.get<Item>(`/api/workroom/items/${encodeURIComponent(this.id)}`), describeItem)
  }
}

const describeItem = (item: Item): string =>
  facts([
    ["item", String(item.id)],
    ["title", item.title],
    ["state", item.state],
    ["revision", String(item.revision)],
    ["priority", item.priority],
    ["labels", item.labels.join(", ") || "none"],
    ["assignee", item.assignee ?? "nobody"],
    ["waits for", item.blocker && blockerOf(item)],
    ["added", `${item.createdAt} by ${item.createdBy}`],
    ["changed", item.updatedAt],
    ["conversation", item.conversation && `${item.conversation.endpoint} ${item.conversation.channel}`],
    ...(item.description === "" ? [] : [["description", item.description] as const]),
    ...item.comments.map(({at, actor, text}) => ["comment", `${at} ${actor}: ${text}`] as const),
  ])

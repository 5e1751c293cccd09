import {commandBodies, hostActor} from "../../shared/api/workroom.ts"
import {Problem} from "../../shared/problems.ts"
import type {Plugin} from "../../shared/sdk/plugin/plugin.ts"
import type {WorkItemActor, WorkItemChange, WorkItems} from "../../shared/sdk/plugin/work-items.ts"
import {fieldsOf} from "../../shared/sdk/session/values.ts"
import {misfitOf} from "../runtime/text/explain.ts"
import {addFrom, commandFrom} from "./bodies.ts"
import {commandOnce} from "./command-once.ts"
import {partyOf} from "./party.ts"
import type {Workroom} from "./workroom.ts"

/** What other plugins do with the items of a workroom. `plugin` provides it. */
export const workItemsOf = (workroom: () => Workroom, plugin: Pick<Plugin, "defer" | "log">): WorkItems => ({
  add: async (item, by) => {
    const body = {...item, labels: [...(item.labels ?? [])], request: by.request}
    requireFit("add", body)
    return workroom().run(addFrom(actorOf(by), body))
  },
  change: async (id, change, by) => {
    const {is, ...fields} = change
    requireFit(is, {...fields, request: by.request, expectedRevision: 1})
    const actor = actorOf(by)
    return commandOnce(workroom(), {actor, item: id, request: by.request, command: commandFrom(actor, change)})
  },
  get: id => workroom().items[id - 1],
  watch: hear => {
    const stop = workroom().observe(items => {
      // Later, so that the Host's own work never waits for a plugin, or fails with it.
      for (const item of items)
        Promise.resolve(item)
          .then(hear)
          .catch((error: unknown) => plugin.log.error(`a plugin that watches work items failed: ${error}`, {error}))
    })
    plugin.defer(stop)
    return stop
  },
})

/** Throws `request_invalid`, because plugins may be plain JavaScript. */
const requireFit = (is: "add" | WorkItemChange["is"], body: object): void => {
  if (!Object.hasOwn(commandBodies, is)) throw new Problem("request_invalid", `"${is}" is no command of a work item`)
  const misfit = fieldsOf(body).request === undefined ? "request is missing" : misfitOf("item", commandBodies[is], body)
  if (misfit !== undefined) throw new Problem("request_invalid", misfit)
}

const actorOf = ({endpoint, user}: WorkItemActor): string =>
  endpoint === undefined || user === undefined ? hostActor : partyOf(endpoint, user)

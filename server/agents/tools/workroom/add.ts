import {commandBodies} from "../../../../shared/api/workroom.ts"
import {Closed} from "../../../../shared/type.ts"
import type {AgentTool} from "../tool.ts"
import {lineOf, type WorkroomSide, workroomTool} from "./items.ts"

const {title, description, priority, labels} = commandBodies.add.properties

/** Adds an item without an assignee, so that an agent never starts a run of another agent. */
export const addTool = (workroom: WorkroomSide): AgentTool =>
  workroomTool("idempotent", {
    name: "add",
    description: "Adds a work item for the team. People decide who works on it.",
    parameters: Closed({title, description, priority, labels}),
    permission: "trusted",
    run: async (given, {key, run}) => {
      const {endpoint, channel} = run
      const added = await workroom.run({
        actor: run.actor,
        item: 0,
        command: {
          is: "add",
          title: given.title,
          description: given.description ?? "",
          priority: given.priority ?? "normal",
          labels: given.labels ?? [],
          assignee: null,
          conversation: endpoint === undefined || channel === undefined ? null : {endpoint, channel},
          request: key,
        },
      })
      return lineOf(added)
    },
  })

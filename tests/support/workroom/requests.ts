import type {Request} from "../../../server/workroom/workroom.ts"
import type {Command} from "../../../shared/api/workroom.ts"

/** The authority of the tests' stores. */
export const authority = "6f1c1e9e-0000-4000-8000-000000000001"

export const add = (title: string, more: Partial<Extract<Command, {is: "add"}>> = {}): Request => ({
  actor: "user:ada",
  item: 0,
  command: {
    is: "add",
    title,
    description: "",
    priority: "normal",
    labels: [],
    assignee: null,
    conversation: null,
    ...more,
  },
})

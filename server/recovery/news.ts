import type {EventData} from "../../shared/events/events.ts"

type Told =
  | `checkpoint.${"created" | "verified" | "refused" | "failed" | "pruned" | "uploaded"}`
  | `release.${"begun" | "begin_failed" | "verified" | "completed" | "aborted"}`

/** News about a checkpoint or a release, for the event log. */
export type News = {[Type in Told]: {readonly type: Type; readonly data: EventData<Type>}}[Told]

/** Called with each change once it is durable. Resolves once the event is stored, or its failure logged. */
export type Tell = (news: News) => Promise<void>

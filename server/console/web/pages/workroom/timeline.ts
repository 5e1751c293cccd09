import type {JournalRecord} from "../../../../../shared/api/workroom.ts"
import {time} from "../../texts/format.ts"
import {texts} from "../../texts/texts.ts"

const t = texts.workroom.told

export interface Told {
  /** What the actor did. */
  readonly what: string
  /** The text that came with it. */
  readonly words?: string
}

/** Returns a record of the Journal in words. */
export const tellOf = ({command}: Pick<JournalRecord, "command">): Told => {
  switch (command.is) {
    case "add":
      return {what: t.add(texts.workroom.priorities[command.priority])}
    case "claim":
      return {what: t.claim(command.assignee)}
    case "block": {
      const {reason, owner, deadline} = command
      const what = deadline === null ? t.block : t.blockUntil(time(deadline))
      return {what: owner === null ? what : `${what}; ${t.owner(owner)}`, words: reason}
    }
    case "cancel":
      return {what: t.cancel, ...(command.reason === null ? {} : {words: command.reason})}
    case "comment":
      return {what: t.comment, words: command.text}
    case "overdue":
      return {what: t.overdue(time(command.deadline))}
    case "authority":
      return {what: command.is}
    default:
      return {what: t[command.is]}
  }
}

/** Returns the revision of the item after a record. */
export const revisionOf = ({command}: Pick<JournalRecord, "command">): number =>
  "expectedRevision" in command ? command.expectedRevision + 1 : 1

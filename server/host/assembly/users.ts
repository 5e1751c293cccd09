import type {ProjectConfig} from "../../../shared/config.ts"
import {UserData} from "../../capacity/user/user-data.ts"
import type {Database} from "../../database/database.ts"
import type {FileStore} from "../../files/store.ts"
import type {Inbox} from "../../inbox/inbox.ts"
import type {LanguageChoices} from "../../messages/language/choices.ts"
import type {Outbox} from "../../outbox/outbox.ts"
import {laneOf} from "../../outbox/rows.ts"
import type {Checkpoints} from "../../recovery/checkpoint/checkpoints.ts"
import {countNaming, partyOf} from "../../workroom/party.ts"
import type {Workroom} from "../../workroom/workroom.ts"

export interface UserOptions {
  readonly database: Database
  readonly choices: Pick<LanguageChoices, "changed">
  readonly inbox: Pick<Inbox, "questionsChanged">
  readonly outbox: Pick<Outbox, "discarded">
  readonly files: Pick<FileStore, "sweep">
  readonly checkpoints: Pick<Checkpoints, "store">
  readonly workroom: Pick<Workroom, "items">
  readonly settings: () => Pick<ProjectConfig, "events">
}

/** Everything that the running Host stores about a user. When it forgets data, the parts update their memory. */
export const createUserData = ({
  database,
  choices,
  inbox,
  outbox,
  files,
  checkpoints,
  workroom,
  settings,
}: UserOptions): UserData =>
  new UserData({
    database,
    dropFiles: () => files.sweep(),
    forgotten: async (part, rows) => {
      if (part === "outbox") outbox.discarded(rows.map(laneOf))
      if (part === "state") for (const {endpoint, subject} of rows) choices.changed(String(endpoint), String(subject))
      if (part !== "prompts") return
      const asked = rows.map(({endpoint, channel, user}) => ({
        endpoint: String(endpoint),
        channel: String(channel),
        user: String(user),
      }))
      await inbox.questionsChanged(asked)
    },
    remains: async ({endpoint, user}) => ({
      checkpoints: await checkpoints.store.ids(),
      workItems: countNaming(workroom.items, partyOf(endpoint, user)),
      eventLog: settings().events.history.age,
    }),
  })

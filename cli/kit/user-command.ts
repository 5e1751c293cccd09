import {Option} from "clipanion"
import {withStoppedUsers} from "../../server/project/offline/users.ts"
import {streamAt} from "../../shared/api/operations/client.ts"
import type {Forgotten} from "../../shared/api/users/users.ts"
import type {HostClient} from "./host-client.ts"
import {StoppableCommand} from "./stoppable-command.ts"

/** The stored data of a user, in the running Host or in the stopped project. */
interface KeptUser {
  /** Does one step; pass the `next` of its answer to the following call. */
  forget(dryRun: boolean, next?: string): Promise<Forgotten>
  /** Yields the lines of the export, in pieces. */
  export(): AsyncIterable<string>
}

export abstract class UserCommand extends StoppableCommand {
  endpoint = Option.String({name: "endpoint"})
  user = Option.String({name: "user"})

  protected async withUser<T>(work: (kept: KeptUser) => Promise<T>): Promise<T> {
    const {endpoint, user} = this
    const host = await this.host()
    if (host !== undefined) return work(overHttp(host, {endpoint, user}))
    return withStoppedUsers(this.stopped, (users, project) =>
      work({
        forget: (dryRun, next) => users.forget({endpoint, user}, {dryRun, next}),
        export: () => users.export({endpoint, user}, project),
      }),
    )
  }
}

const overHttp = (host: HostClient, user: {readonly endpoint: string; readonly user: string}): KeptUser => ({
  forget: (dryRun, next) => host.post("/api/users/forget", {body: {...user, dryRun, next}}),
  async *export() {
    const answer = await host.open(streamAt("/api/users/export", user), new AbortController().signal)
    const decoder = new TextDecoder()
    for await (const chunk of answer.body ?? []) yield decoder.decode(chunk, {stream: true})
  },
})

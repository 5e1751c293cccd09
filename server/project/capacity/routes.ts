import {databaseOperations} from "../../../shared/api/operations/host.ts"
import {Reply, serve} from "../../../shared/api/operations/operation.ts"
import type {Capacity} from "./capacity.ts"
import type {DamageWatch} from "./damage-watch.ts"
import type {PlaceWatch} from "./place-watch.ts"

export const databaseRoutes = (capacity: Capacity, damage: DamageWatch, place: PlaceWatch) =>
  serve(databaseOperations, {
    show: ({query}) => capacity.info(query.tables === true),
    compaction: () => ({task: capacity.task}),
    compact: async ({body: {dryRun = false}}) =>
      dryRun ? new Reply(200, await capacity.plan()) : new Reply(202, await capacity.begin()),
    check: () => damage.check(),
    rescue: ({body}) => place.rescue(body.to),
  })

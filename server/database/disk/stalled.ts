import {Problem} from "../../../shared/problems.ts"
import type {EngineWatcher} from "../engine.ts"

/** A sync that takes so long, in milliseconds, is told. */
const stalledAfter = 5000

/** Tells of a sync that takes long while it does, and once it has ended. */
export const watched = async (sync: Promise<void>, watcher: EngineWatcher | undefined): Promise<void> => {
  let isTold = false
  const timer = setTimeout(() => {
    isTold = true
    watcher?.missed(new Problem("database_stalled", `the disk has not ended a sync for ${stalledAfter / 1000} s`))
  }, stalledAfter)
  try {
    await sync
  } finally {
    clearTimeout(timer)
    if (isTold) watcher?.answered()
  }
}

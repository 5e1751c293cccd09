import {Problem} from "../../../shared/problems.ts"
import type {EngineWatcher} from "../engine/engine.ts"

/** A sync that takes at least this time, in milliseconds, is reported. */
const stalledAfter = 5000

/** Reports a sync that takes long, and reports again when it has ended. */
export const watched = async (sync: Promise<void>, watcher: EngineWatcher | undefined): Promise<void> => {
  let isTold = false
  const timer = setTimeout(() => {
    isTold = true
    watcher?.missed(new Problem("database_stalled", `the disk has not completed a sync for ${stalledAfter / 1000} s`))
  }, stalledAfter)
  try {
    await sync
  } finally {
    clearTimeout(timer)
    if (isTold) watcher?.answered()
  }
}

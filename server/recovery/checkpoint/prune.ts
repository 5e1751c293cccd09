import {type CheckpointStore, isMadeHere, newestSound, type StoredCheckpoint} from "./store.ts"

export interface PruneOptions {
  readonly keep: number
  /** Which ones count and may go; all when left out. */
  readonly among?: (checkpoint: StoredCheckpoint) => boolean
  /** What must stay besides: open observation windows. */
  readonly spared?: (id: string) => boolean
}

/**
 * Removes all but the newest so many of those that were made here, and of those that were uploaded: an uploaded one takes nobody's
 * place. Never the newest verified one that was made here. Resolves to the ids that are gone, newest first.
 */
export const pruneCheckpoints = async (
  store: CheckpointStore,
  {keep, among = () => true, spared = () => false}: PruneOptions,
): Promise<readonly string[]> => {
  const {checkpoints} = await store.list()
  const newestVerified = newestSound(checkpoints)?.id
  const counted = checkpoints.filter(among)
  const own = counted.filter(isMadeHere).slice(keep)
  const uploaded = counted.filter(each => !isMadeHere(each)).slice(keep)
  const surplus = checkpoints
    .filter(each => own.includes(each) || uploaded.includes(each))
    .map(({id}) => id)
    .filter(id => id !== newestVerified && !spared(id))
  for (const id of surplus) await store.remove(id)
  return surplus
}

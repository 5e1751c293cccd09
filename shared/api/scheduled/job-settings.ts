import type {Job, JobView} from "./jobs.ts"

/** Returns a job without its id, as in the file: settings that equal their default are left out. */
export const settingsOf = (view: JobView): Omit<Job, "id"> => {
  const {label, enabled, schedule, timezone, target, missed, overlap, jitter} = view
  return {
    ...(label === undefined ? {} : {label}),
    ...(enabled ? {} : {enabled}),
    schedule,
    timezone,
    target,
    ...(missed === "skip" ? {} : {missed}),
    ...(overlap === "skip" ? {} : {overlap}),
    ...(jitter === undefined ? {} : {jitter}),
  }
}

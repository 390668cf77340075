import type { Task } from '@taskboard/core'

/** A place of the host for transcripts, one for each task. */
export interface TranscriptPlace {
  /** Keeps the transcript of a task, JSON, in place of the one before. Returns where people find it: the task gets that URL as an output. */
  save(task: Task, transcript: string): Promise<string>
  /** The transcript of a task, as saved last; null without one. With it, an attempt resumes where the one before ended. */
  load?(task: Task): Promise<string | null>
}

import type { At, Instant, TaskStore } from '@taskboard/core'
import type { Database, Session } from '../database.js'
import type { PgConnection } from '../pool.js'
import { createTaskClaims } from './claim-tasks.js'
import { createCompletions } from './complete-tasks.js'
import { createInsertTask } from './insert-task.js'

type ClaimVerbs = Pick<TaskStore<PgConnection>, 'claimBest' | 'claimForAgent'>

function claimVerbs(database: Database, claims: ReturnType<typeof createTaskClaims>): ClaimVerbs {
  const sessionFor = (at: At<PgConnection>): Session => ({
    run: (statement, values) => database.write(at, statement, values),
  })
  return {
    claimBest: (request, limit, at) => claims.byType(sessionFor(at), request, limit, at.now),
    claimForAgent: (request, limit, at) => claims.forAgent(sessionFor(at), request, limit, at.now),
  }
}

import type {
  AddTaskLogLineBody,
  AddTaskOutputBody,
  Agent,
  ClaimTaskAnswer,
  ClaimTaskBody,
  CompleteTaskBody,
  Comment,
  DelegateTaskAnswer,
  DelegateTaskBody,
  FailTaskBody,
  HeartbeatTaskBody,
  HoldTaskBody,
  ListAttemptsAnswer,
  ListCommentsQuery,
  RecordedUsage,
  ReleaseTaskBody,
  ReportTaskProgressBody,
  ReportTaskUsageBody,
  RequestApprovalAnswer,
  RequestApprovalBody,
  TaskDetail,
} from '../wire.js'
import type { CallOptions } from '../client-options.js'
import type { Realtime } from '../realtime/index.js'

type Call<Body, Answer> = (id: string, body: Body, options?: CallOptions) => Promise<Answer>

/** What a worker needs of the client. */
export interface WorkerApi {
  readonly tasks: {
    claim(body: ClaimTaskBody, options?: CallOptions): Promise<ClaimTaskAnswer>
    get(id: string, options?: CallOptions): Promise<TaskDetail>
    attempts(id: string, options?: CallOptions): Promise<ListAttemptsAnswer>
    allComments(id: string, query?: ListCommentsQuery, options?: CallOptions): AsyncIterable<Comment>
    readonly heartbeat: Call<HeartbeatTaskBody, unknown>
    readonly progress: Call<ReportTaskProgressBody, unknown>
    readonly log: Call<AddTaskLogLineBody, unknown>
    readonly output: Call<AddTaskOutputBody, unknown>
    readonly delegate: Call<DelegateTaskBody, DelegateTaskAnswer>
    readonly usage: Call<ReportTaskUsageBody, RecordedUsage>
    readonly complete: Call<CompleteTaskBody, unknown>
    readonly fail: Call<FailTaskBody, unknown>
    readonly hold: Call<HoldTaskBody, unknown>
    readonly release: Call<ReleaseTaskBody, unknown>
    readonly approvals: {
      readonly request: Call<RequestApprovalBody, RequestApprovalAnswer>
    }
  }
  readonly agents: { get(id: string, options?: CallOptions): Promise<Agent> }
  readonly realtime: Realtime
}

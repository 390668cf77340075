export { auditActionNames, auditActions, isRefusal, storedActor } from './audit-record.js'
export type {
  AuditAction,
  AuditDetails,
  AuditRecord,
  AuditTargetKind,
  StoredActor,
} from './audit-record.js'
export { createAudit } from './audit.js'
export type { Audit, AuditFilter, AuditPage } from './audit.js'
export { createAuditCounts } from './audit-counts.js'
export type { AuditCounts, AuditRefusal } from './audit-counts.js'
export type { AuditOwner, AuditQuery, AuditStore, NewAuditRecord } from './audit-store.js'

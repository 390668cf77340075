"""Every method of the client: its operation, and how it is called.

The traits are those of @taskboard/client. ``body`` and ``query``: what the keyword arguments are. ``key``: the server knows a
repeat by its Idempotency-Key. ``repeatable``: a second one changes nothing. ``public``: sent without the credential.
"""

from __future__ import annotations

from typing import Dict, NamedTuple, Tuple


class Operation(NamedTuple):
    id: str
    method: str
    path: str
    traits: Tuple[str, ...]
    is_paged: bool


def _operation(operation_id: str, spec: str, is_paged: bool) -> Operation:
    method, path, *traits = spec.split(" ")
    return Operation(operation_id, method, path, tuple(traits), is_paged)


_SPECS = {
    "tasks.create": ("createTask", "POST /v2/tasks body key"),
    "tasks.create_many": ("createTasks", "POST /v2/tasks/batch body key"),
    "tasks.list": ("listTasks", "GET /v2/tasks query repeatable"),
    "tasks.list_all": ("listTasks", "GET /v2/tasks query repeatable"),
    "tasks.get": ("getTask", "GET /v2/tasks/{task_id} repeatable"),
    "tasks.logs": ("listTaskLogLines", "GET /v2/tasks/{task_id}/logs query repeatable"),
    "tasks.all_logs": ("listTaskLogLines", "GET /v2/tasks/{task_id}/logs query repeatable"),
    "tasks.attempts": ("listAttempts", "GET /v2/tasks/{task_id}/attempts repeatable"),
    "tasks.score": ("getTaskScore", "GET /v2/tasks/{task_id}/score repeatable"),
    "tasks.update": ("updateTask", "PATCH /v2/tasks/{task_id} body repeatable"),
    "tasks.delete": ("deleteTask", "DELETE /v2/tasks/{task_id} repeatable"),
    "tasks.move": ("moveTask", "POST /v2/tasks/{task_id}/move body repeatable"),
    "tasks.cancel": ("cancelTask", "POST /v2/tasks/{task_id}/cancel body repeatable"),
    "tasks.release": ("releaseTask", "POST /v2/tasks/{task_id}/release body"),
    "tasks.answer": ("answerTask", "POST /v2/tasks/{task_id}/answer body key"),
    "tasks.comment": ("createComment", "POST /v2/tasks/{task_id}/comments body key"),
    "tasks.comments": ("listComments", "GET /v2/tasks/{task_id}/comments query repeatable"),
    "tasks.all_comments": ("listComments", "GET /v2/tasks/{task_id}/comments query repeatable"),
    "tasks.claim": ("claimTask", "POST /v2/tasks/claim body"),
    "tasks.heartbeat": ("heartbeatTask", "POST /v2/tasks/{task_id}/heartbeat body repeatable"),
    "tasks.progress": ("reportTaskProgress", "POST /v2/tasks/{task_id}/progress body repeatable"),
    "tasks.log": ("addTaskLogLine", "POST /v2/tasks/{task_id}/logs body"),
    "tasks.output": ("addTaskOutput", "POST /v2/tasks/{task_id}/outputs body"),
    "tasks.delegate": ("delegateTask", "POST /v2/tasks/{task_id}/delegate body key"),
    "tasks.usage": ("reportTaskUsage", "POST /v2/tasks/{task_id}/usage body key"),
    "tasks.hold": ("holdTask", "POST /v2/tasks/{task_id}/hold body"),
    "tasks.complete": ("completeTask", "POST /v2/tasks/{task_id}/complete body repeatable"),
    "tasks.fail": ("failTask", "POST /v2/tasks/{task_id}/fail body"),
    "tasks.approvals.request": ("requestApproval", "POST /v2/tasks/{task_id}/approvals body"),
    "approvals.list": ("listApprovals", "GET /v2/approvals query repeatable"),
    "approvals.list_all": ("listApprovals", "GET /v2/approvals query repeatable"),
    "approvals.get": ("getApproval", "GET /v2/approvals/{approval_id} repeatable"),
    "approvals.decide": ("decideApproval", "POST /v2/approvals/{approval_id}/decision body"),
    "schedules.create": ("createSchedule", "POST /v2/schedules body key"),
    "schedules.list": ("listSchedules", "GET /v2/schedules query repeatable"),
    "schedules.list_all": ("listSchedules", "GET /v2/schedules query repeatable"),
    "schedules.get": ("getSchedule", "GET /v2/schedules/{schedule_id} repeatable"),
    "schedules.update": ("updateSchedule", "PATCH /v2/schedules/{schedule_id} body repeatable"),
    "schedules.delete": ("deleteSchedule", "DELETE /v2/schedules/{schedule_id} repeatable"),
    "agents.create": ("createAgent", "POST /v2/agents body key"),
    "agents.list": ("listAgents", "GET /v2/agents query repeatable"),
    "agents.list_all": ("listAgents", "GET /v2/agents query repeatable"),
    "agents.get": ("getAgent", "GET /v2/agents/{agent_id} repeatable"),
    "agents.update": ("updateAgent", "PATCH /v2/agents/{agent_id} body repeatable"),
    "agents.delete": ("deleteAgent", "DELETE /v2/agents/{agent_id} repeatable"),
    "agents.set_budget": ("setAgentBudget", "PATCH /v2/agents/{agent_id}/budget body repeatable"),
    "budgets.list": ("listBudgets", "GET /v2/budgets query repeatable"),
    "budgets.list_all": ("listBudgets", "GET /v2/budgets query repeatable"),
    "chat.send": ("sendChatMessage", "POST /v2/chat body"),
    "analytics.tasks": ("getTaskAnalytics", "GET /v2/analytics/tasks query repeatable"),
    "analytics.usage": ("getUsage", "GET /v2/analytics/usage query repeatable"),
    "analytics.all_usage": ("getUsage", "GET /v2/analytics/usage query repeatable"),
    "webhooks.create": ("createWebhook", "POST /v2/webhooks body key"),
    "webhooks.list": ("listWebhooks", "GET /v2/webhooks query repeatable"),
    "webhooks.get": ("getWebhook", "GET /v2/webhooks/{webhook_id} repeatable"),
    "webhooks.update": ("updateWebhook", "PATCH /v2/webhooks/{webhook_id} body repeatable"),
    "webhooks.delete": ("deleteWebhook", "DELETE /v2/webhooks/{webhook_id} repeatable"),
    "webhooks.rotate_secret": ("rotateWebhookSecret", "POST /v2/webhooks/{webhook_id}/rotate-secret body"),
    "webhooks.test": ("testWebhook", "POST /v2/webhooks/{webhook_id}/test body"),
    "webhooks.deliveries": ("listDeliveries", "GET /v2/webhooks/{webhook_id}/deliveries query repeatable"),
    "webhooks.all_deliveries": ("listDeliveries", "GET /v2/webhooks/{webhook_id}/deliveries query repeatable"),
    "webhooks.resend": ("resendDeliveries", "POST /v2/webhooks/{webhook_id}/resend body"),
    "notification_channels.create": ("createNotificationChannel", "POST /v2/notification-channels body key"),
    "notification_channels.list": ("listNotificationChannels", "GET /v2/notification-channels query repeatable"),
    "notification_channels.list_all": ("listNotificationChannels", "GET /v2/notification-channels query repeatable"),
    "notification_channels.types": ("listNotificationChannelTypes", "GET /v2/notification-channel-types repeatable"),
    "notification_channels.get": ("getNotificationChannel", "GET /v2/notification-channels/{channel_id} repeatable"),
    "notification_channels.update": ("updateNotificationChannel", "PATCH /v2/notification-channels/{channel_id} body repeatable"),
    "notification_channels.delete": ("deleteNotificationChannel", "DELETE /v2/notification-channels/{channel_id} repeatable"),
    "notification_channels.test": ("testNotificationChannel", "POST /v2/notification-channels/{channel_id}/test body"),
    "account.get": ("getAccount", "GET /v2/account repeatable"),
    "account.set_password": ("changePassword", "POST /v2/account/password body"),
    "members.list": ("listMembers", "GET /v2/account/members repeatable"),
    "members.create": ("createMember", "POST /v2/account/members body"),
    "members.delete": ("deleteMember", "DELETE /v2/account/members/{user_id} repeatable"),
    "account.mfa.begin": ("beginMfa", "POST /v2/account/mfa body"),
    "account.mfa.confirm": ("confirmMfa", "POST /v2/account/mfa/confirm body"),
    "account.mfa.remove": ("removeMfa", "DELETE /v2/account/mfa body"),
    "api_keys.create": ("createApiKey", "POST /v2/account/api-keys body key"),
    "api_keys.list": ("listApiKeys", "GET /v2/account/api-keys query repeatable"),
    "api_keys.list_all": ("listApiKeys", "GET /v2/account/api-keys query repeatable"),
    "api_keys.revoke": ("revokeApiKey", "DELETE /v2/account/api-keys/{key_id} repeatable"),
    "api_keys.rotate": ("rotateApiKey", "POST /v2/account/api-keys/{key_id}/rotate body key"),
    "workspaces.create": ("createWorkspace", "POST /v2/workspaces body"),
    "workspaces.get": ("getWorkspace", "GET /v2/workspaces/{workspace_id} repeatable"),
    "workspaces.update": ("updateWorkspace", "PATCH /v2/workspaces/{workspace_id} body repeatable"),
    "workspaces.delete": ("deleteWorkspace", "DELETE /v2/workspaces/{workspace_id} repeatable"),
    "workspaces.set_budget": ("setWorkspaceBudget", "PATCH /v2/workspaces/{workspace_id}/budget body repeatable"),
    "auth.login": ("login", "POST /v2/auth/login body public"),
    "auth.refresh": ("refreshTokens", "POST /v2/auth/refresh body public"),
    "auth.logout": ("logout", "POST /v2/auth/logout body repeatable public"),
    "board.todo": ("listBoardTasks", "GET /api/board?action=todo query repeatable"),
    "board.doing": ("listBoardTasks", "GET /api/board?action=doing query repeatable"),
    "board.done": ("listBoardTasks", "GET /api/board?action=done query repeatable"),
    "board.add": ("writeToBoard", "POST /api/board?action=add body key"),
    "board.move": ("writeToBoard", "POST /api/board?action=move body repeatable"),
    "board.chat": ("writeToBoard", "POST /api/board?action=chat body"),
    "board.register_webhook": ("registerWebhook", "POST /api/webhooks/create body key"),
    "openapi": ("getOpenApi", "GET /v2/openapi.json repeatable public"),
    "reference": ("getReference", "GET /v2/reference repeatable public"),
}

_PAGED = ("list_all", "all_logs", "all_comments", "all_deliveries", "all_usage")

OPERATIONS: Dict[str, Operation] = {
    name: _operation(operation_id, spec, name.split(".")[-1] in _PAGED)
    for name, (operation_id, spec) in _SPECS.items()
}

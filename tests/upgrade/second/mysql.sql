-- A database of a version before payments by card: also a comment, a document, a collateral, signing keys.
/*!40101 SET @OLD_CHARACTER_SET_CLIENT=@@CHARACTER_SET_CLIENT */;
/*!40101 SET @OLD_CHARACTER_SET_RESULTS=@@CHARACTER_SET_RESULTS */;
/*!40101 SET @OLD_COLLATION_CONNECTION=@@COLLATION_CONNECTION */;
/*!40101 SET NAMES utf8mb4 */;
/*!40014 SET @OLD_UNIQUE_CHECKS=@@UNIQUE_CHECKS, UNIQUE_CHECKS=0 */;
/*!40014 SET @OLD_FOREIGN_KEY_CHECKS=@@FOREIGN_KEY_CHECKS, FOREIGN_KEY_CHECKS=0 */;
/*!40101 SET @OLD_SQL_MODE=@@SQL_MODE, SQL_MODE='NO_AUTO_VALUE_ON_ZERO' */;
/*!40111 SET @OLD_SQL_NOTES=@@SQL_NOTES, SQL_NOTES=0 */;
CREATE TABLE `active_users` (
  `row_id` bigint(20) NOT NULL AUTO_INCREMENT,
  `user_id` bigint(20) NOT NULL,
  `active_date` datetime(6) NOT NULL,
  `session_id` varchar(43) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `client_id` varchar(100) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `token_hash` varchar(90) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  PRIMARY KEY (`row_id`),
  UNIQUE KEY `active_users_token_hash` (`token_hash`),
  KEY `active_users_user_id` (`user_id`),
  KEY `active_users_session_id` (`session_id`),
  KEY `active_users_active_date` (`active_date`),
  CONSTRAINT `active_users_ibfk_1` FOREIGN KEY (`user_id`) REFERENCES `users` (`user_id`)
) AUTO_INCREMENT=2;
CREATE TABLE `auth_events` (
  `event_id` bigint(20) NOT NULL AUTO_INCREMENT,
  `event_date` datetime(6) NOT NULL,
  `event` varchar(40) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `reason` varchar(40) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `actor` varchar(100) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `user_kind` varchar(30) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL CHECK (`user_kind` in ('core','web')),
  `user_id` bigint(20) DEFAULT NULL,
  `user_name` varchar(50) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `client_id` varchar(100) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `source` varchar(45) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `request_id` varchar(32) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `token_hash_prefix` varchar(30) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  PRIMARY KEY (`event_id`),
  KEY `auth_events_event_date` (`event_date`),
  KEY `auth_events_user_kind_user_id` (`user_kind`,`user_id`)
) AUTO_INCREMENT=4;
INSERT INTO `auth_events` VALUES (1,'2026-11-22 17:01:07.676592','log_in',NULL,NULL,'core',1,'admin','integration','127.0.0.1','80e4030d056190ae18ccf58a6df14e95',NULL);
INSERT INTO `auth_events` VALUES (2,'2026-11-22 17:01:07.678397','token_issued',NULL,NULL,'core',1,NULL,'integration','127.0.0.1','80e4030d056190ae18ccf58a6df14e95','k1:82d5f719c082');
INSERT INTO `auth_events` VALUES (3,'2026-11-22 17:01:07.886049','logged_out','bearer',NULL,'core',1,NULL,'integration','127.0.0.1','2d2487faba56963698e8c5a0e69f9d5c',NULL);
CREATE TABLE `auth_sessions` (
  `session_id` varchar(43) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `public_id` varchar(43) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `user_kind` varchar(30) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL CHECK (`user_kind` in ('core','web')),
  `user_id` bigint(20) NOT NULL,
  `client_id` varchar(100) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `scope` varchar(100) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `log_in_date` datetime(6) NOT NULL,
  `browser_id` varchar(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `refresh_hash` varchar(90) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `previous_refresh_hash` varchar(90) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `contested_flag` tinyint(1) NOT NULL,
  `refreshed_date` datetime(6) NOT NULL,
  PRIMARY KEY (`session_id`),
  UNIQUE KEY `auth_sessions_public_id` (`public_id`),
  KEY `auth_sessions_user_kind_user_id` (`user_kind`,`user_id`),
  KEY `auth_sessions_browser_id` (`browser_id`),
  KEY `auth_sessions_refreshed_date` (`refreshed_date`)
);
CREATE TABLE `authorization_requests` (
  `request_id` varchar(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `browser_secret_hash` varchar(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `client_id` varchar(100) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `redirect_uri` mediumtext CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `scope` varchar(100) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `state` mediumtext CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `nonce` mediumtext CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `code_challenge` varchar(43) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `login_hint` varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `source_network` varchar(50) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `created_date` datetime(6) NOT NULL,
  `code_hash` varchar(90) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `code_date` datetime(6) DEFAULT NULL,
  `user_kind` varchar(30) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL CHECK (`user_kind` in ('core','web')),
  `user_id` bigint(20) DEFAULT NULL,
  `log_in_date` datetime(6) DEFAULT NULL,
  `browser_id` varchar(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `session_id` varchar(43) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `used_date` datetime(6) DEFAULT NULL,
  PRIMARY KEY (`request_id`),
  UNIQUE KEY `authorization_requests_code_hash` (`code_hash`),
  KEY `authorization_requests_created_date` (`created_date`),
  KEY `authorization_requests_source_network` (`source_network`),
  KEY `authorization_requests_browser_id` (`browser_id`),
  KEY `authorization_requests_user_kind_user_id` (`user_kind`,`user_id`)
);
CREATE TABLE `automated_payments` (
  `row_id` bigint(20) NOT NULL AUTO_INCREMENT,
  `loan_id` bigint(20) NOT NULL,
  `description` varchar(50) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `payment_type` varchar(30) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL CHECK (`payment_type` in ('ach','card')),
  `status` varchar(30) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL CHECK (`status` in ('active','disabled','expired')),
  `bank_routing_number` varchar(9) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `bank_account_number` varchar(17) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `bank_account_type` varchar(30) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL CHECK (`bank_account_type` in ('checking','savings')),
  `payment_gateway_token_id` bigint(20) DEFAULT NULL,
  `amount_type` varchar(30) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL CHECK (`amount_type` in ('fixed','percent_of_principal','billing')),
  `amount` bigint(20) DEFAULT NULL,
  `percentage` bigint(20) DEFAULT NULL,
  `minimum_amount` bigint(20) DEFAULT NULL,
  `maximum_amount` bigint(20) DEFAULT NULL,
  `debit_or_credit` varchar(30) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL CHECK (`debit_or_credit` in ('debit','credit')),
  `billing_type` varchar(30) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL CHECK (`billing_type` in ('billing','one_time','recurring')),
  `billing_period` varchar(30) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL CHECK (`billing_period` in ('none','weekly','biweekly','semimonthly','monthly','bimonthly','quarterly','semiannual','annual','maturity')),
  `start_date` date NOT NULL,
  `next_date` date DEFAULT NULL,
  `expire_date` date DEFAULT NULL,
  `temp_grace_period` int(11) NOT NULL,
  PRIMARY KEY (`row_id`),
  KEY `automated_payments_loan_id_row_id` (`loan_id`,`row_id`),
  KEY `automated_payments_payment_gateway_token_id` (`payment_gateway_token_id`),
  CONSTRAINT `automated_payments_ibfk_1` FOREIGN KEY (`loan_id`) REFERENCES `loans` (`loan_id`),
  CONSTRAINT `automated_payments_ibfk_2` FOREIGN KEY (`payment_gateway_token_id`) REFERENCES `payment_gateway_tokens` (`payment_gateway_token_id`)
);
CREATE TABLE `batch_failures` (
  `row_id` bigint(20) NOT NULL AUTO_INCREMENT,
  `batch_id` bigint(20) NOT NULL,
  `loan_id` bigint(20) NOT NULL,
  `code` varchar(50) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `message` varchar(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  PRIMARY KEY (`row_id`),
  KEY `loan_id` (`loan_id`),
  KEY `batch_failures_batch_id_row_id` (`batch_id`,`row_id`),
  CONSTRAINT `batch_failures_ibfk_1` FOREIGN KEY (`batch_id`) REFERENCES `batch_runs` (`batch_id`),
  CONSTRAINT `batch_failures_ibfk_2` FOREIGN KEY (`loan_id`) REFERENCES `loans` (`loan_id`)
);
CREATE TABLE `batch_runs` (
  `batch_id` bigint(20) NOT NULL AUTO_INCREMENT,
  `kind` varchar(30) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL CHECK (`kind` in ('ach','accrual')),
  `business_date` date NOT NULL,
  `state` varchar(30) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL CHECK (`state` in ('idle','running','succeeded','partial','failed')),
  `trigger_type` varchar(30) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL CHECK (`trigger_type` in ('manual','schedule')),
  `started_date` datetime(6) NOT NULL,
  `ended_date` datetime(6) DEFAULT NULL,
  `started_by_user_id` bigint(20) DEFAULT NULL,
  `total` int(11) NOT NULL,
  `processed` int(11) NOT NULL,
  `succeeded` int(11) NOT NULL,
  `failed` int(11) NOT NULL,
  `skipped` int(11) NOT NULL,
  `last_error` mediumtext CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `amount_total` bigint(20) DEFAULT NULL,
  `debit_count` int(11) DEFAULT NULL,
  `credit_count` int(11) DEFAULT NULL,
  `returned_count` int(11) DEFAULT NULL,
  `file_name` varchar(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `interest_accrued_total` bigint(20) DEFAULT NULL,
  `oldest_unaccrued_date` date DEFAULT NULL,
  PRIMARY KEY (`batch_id`),
  KEY `started_by_user_id` (`started_by_user_id`),
  KEY `batch_runs_kind_business_date_batch_id` (`kind`,`business_date`,`batch_id`),
  CONSTRAINT `batch_runs_ibfk_1` FOREIGN KEY (`started_by_user_id`) REFERENCES `users` (`user_id`)
);
CREATE TABLE `browser_log_ins` (
  `browser_id` varchar(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `user_kind` varchar(30) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL CHECK (`user_kind` in ('core','web')),
  `user_id` bigint(20) NOT NULL,
  `log_in_date` datetime(6) NOT NULL,
  `used_date` datetime(6) NOT NULL,
  PRIMARY KEY (`browser_id`),
  KEY `browser_log_ins_user_kind_user_id` (`user_kind`,`user_id`),
  KEY `browser_log_ins_used_date` (`used_date`)
);
CREATE TABLE `cash_drawer_assignments` (
  `row_id` bigint(20) NOT NULL AUTO_INCREMENT,
  `drawer_id` bigint(20) NOT NULL,
  `user_id` bigint(20) NOT NULL,
  `assigned_date` datetime(6) NOT NULL,
  `assigned_by_user_id` bigint(20) NOT NULL,
  PRIMARY KEY (`row_id`),
  UNIQUE KEY `cash_drawer_assignments_drawer_id_user_id` (`drawer_id`,`user_id`),
  KEY `assigned_by_user_id` (`assigned_by_user_id`),
  KEY `cash_drawer_assignments_user_id` (`user_id`),
  CONSTRAINT `cash_drawer_assignments_ibfk_1` FOREIGN KEY (`drawer_id`) REFERENCES `cash_drawers` (`drawer_id`),
  CONSTRAINT `cash_drawer_assignments_ibfk_2` FOREIGN KEY (`user_id`) REFERENCES `users` (`user_id`),
  CONSTRAINT `cash_drawer_assignments_ibfk_3` FOREIGN KEY (`assigned_by_user_id`) REFERENCES `users` (`user_id`)
) AUTO_INCREMENT=2;
INSERT INTO `cash_drawer_assignments` VALUES (1,1,3,'2026-11-22 17:01:06.440025',1);
CREATE TABLE `cash_drawer_reconciliations` (
  `reconciliation_id` bigint(20) NOT NULL AUTO_INCREMENT,
  `drawer_id` bigint(20) NOT NULL,
  `user_id` bigint(20) NOT NULL,
  `reconciled_date` datetime(6) NOT NULL,
  `expected_cash` bigint(20) NOT NULL,
  `counted_cash` bigint(20) NOT NULL,
  `expected_check` bigint(20) NOT NULL,
  `counted_check` bigint(20) NOT NULL,
  `over_short_cash` bigint(20) NOT NULL,
  `over_short_check` bigint(20) NOT NULL,
  `denominations` longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL CHECK (json_valid(`denominations`)),
  `status` varchar(30) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL CHECK (`status` in ('balanced','over','short','mixed')),
  `comment` mediumtext CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  PRIMARY KEY (`reconciliation_id`),
  KEY `user_id` (`user_id`),
  KEY `cash_drawer_reconciliations_drawer_id_reconciliation_id` (`drawer_id`,`reconciliation_id`),
  CONSTRAINT `cash_drawer_reconciliations_ibfk_1` FOREIGN KEY (`drawer_id`) REFERENCES `cash_drawers` (`drawer_id`),
  CONSTRAINT `cash_drawer_reconciliations_ibfk_2` FOREIGN KEY (`user_id`) REFERENCES `users` (`user_id`)
);
CREATE TABLE `cash_drawer_sessions` (
  `row_id` bigint(20) NOT NULL AUTO_INCREMENT,
  `drawer_id` bigint(20) NOT NULL,
  `user_id` bigint(20) NOT NULL,
  `opened_date` datetime(6) NOT NULL,
  `opening_cash_balance` bigint(20) NOT NULL,
  `ended_date` datetime(6) DEFAULT NULL,
  PRIMARY KEY (`row_id`),
  KEY `cash_drawer_sessions_drawer_id_row_id` (`drawer_id`,`row_id`),
  KEY `cash_drawer_sessions_drawer_id_ended_date` (`drawer_id`,`ended_date`),
  KEY `cash_drawer_sessions_user_id_ended_date` (`user_id`,`ended_date`),
  CONSTRAINT `cash_drawer_sessions_ibfk_1` FOREIGN KEY (`drawer_id`) REFERENCES `cash_drawers` (`drawer_id`),
  CONSTRAINT `cash_drawer_sessions_ibfk_2` FOREIGN KEY (`user_id`) REFERENCES `users` (`user_id`)
);
CREATE TABLE `cash_drawer_transactions` (
  `drawer_transaction_id` bigint(20) NOT NULL AUTO_INCREMENT,
  `drawer_id` bigint(20) NOT NULL,
  `transaction_type` varchar(30) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL CHECK (`transaction_type` in ('bank_in','bank_out','transfer_out','transfer_in','adjustment_in','adjustment_out','payment','payment_reversal','over_short')),
  `tender` varchar(30) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL CHECK (`tender` in ('cash','check')),
  `amount` bigint(20) NOT NULL,
  `resulting_balance` bigint(20) NOT NULL,
  `check_number` varchar(25) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `loan_id` bigint(20) DEFAULT NULL,
  `transaction_id` bigint(20) DEFAULT NULL,
  `counter_drawer_id` bigint(20) DEFAULT NULL,
  `transfer_reference_no` bigint(20) DEFAULT NULL,
  `reconciliation_id` bigint(20) DEFAULT NULL,
  `user_id` bigint(20) NOT NULL,
  `transaction_date` datetime(6) NOT NULL,
  `reference` varchar(100) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  PRIMARY KEY (`drawer_transaction_id`),
  KEY `loan_id` (`loan_id`),
  KEY `counter_drawer_id` (`counter_drawer_id`),
  KEY `reconciliation_id` (`reconciliation_id`),
  KEY `user_id` (`user_id`),
  KEY `cash_drawer_transactions_drawer_id_drawer_transaction_id` (`drawer_id`,`drawer_transaction_id`),
  KEY `cash_drawer_transactions_drawer_id_transaction_date` (`drawer_id`,`transaction_date`),
  KEY `cash_drawer_transactions_transaction_id` (`transaction_id`),
  KEY `cash_drawer_transactions_drawer_id_reconciliation_id` (`drawer_id`,`reconciliation_id`),
  CONSTRAINT `cash_drawer_transactions_ibfk_1` FOREIGN KEY (`drawer_id`) REFERENCES `cash_drawers` (`drawer_id`),
  CONSTRAINT `cash_drawer_transactions_ibfk_2` FOREIGN KEY (`loan_id`) REFERENCES `loans` (`loan_id`),
  CONSTRAINT `cash_drawer_transactions_ibfk_3` FOREIGN KEY (`transaction_id`) REFERENCES `loan_transactions` (`transaction_id`),
  CONSTRAINT `cash_drawer_transactions_ibfk_4` FOREIGN KEY (`counter_drawer_id`) REFERENCES `cash_drawers` (`drawer_id`),
  CONSTRAINT `cash_drawer_transactions_ibfk_5` FOREIGN KEY (`reconciliation_id`) REFERENCES `cash_drawer_reconciliations` (`reconciliation_id`),
  CONSTRAINT `cash_drawer_transactions_ibfk_6` FOREIGN KEY (`user_id`) REFERENCES `users` (`user_id`)
);
CREATE TABLE `cash_drawers` (
  `drawer_id` bigint(20) NOT NULL AUTO_INCREMENT,
  `name` varchar(50) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `description` varchar(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `drawer_type` varchar(30) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL CHECK (`drawer_type` in ('individual','reserve')),
  `gl_account` varchar(25) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `branch` varchar(25) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `status` varchar(30) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL CHECK (`status` in ('open','closed')),
  `cash_balance` bigint(20) NOT NULL,
  `check_balance` bigint(20) NOT NULL,
  `last_reconciled_date` datetime(6) DEFAULT NULL,
  PRIMARY KEY (`drawer_id`),
  UNIQUE KEY `cash_drawers_name` (`name`)
) AUTO_INCREMENT=2;
INSERT INTO `cash_drawers` VALUES (1,'Teller 1','The first window','individual','1010-01','Main','open',0,0,NULL);
CREATE TABLE `cif_web_active_users` (
  `row_id` bigint(20) NOT NULL AUTO_INCREMENT,
  `contact_id` bigint(20) NOT NULL,
  `token_datestamp` datetime(6) NOT NULL,
  `session_id` varchar(43) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `client_id` varchar(100) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `token_hash` varchar(90) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  PRIMARY KEY (`row_id`),
  UNIQUE KEY `cif_web_active_users_token_hash` (`token_hash`),
  KEY `cif_web_active_users_contact_id` (`contact_id`),
  KEY `cif_web_active_users_session_id` (`session_id`),
  KEY `cif_web_active_users_token_datestamp` (`token_datestamp`),
  CONSTRAINT `cif_web_active_users_ibfk_1` FOREIGN KEY (`contact_id`) REFERENCES `contacts` (`contact_id`)
);
CREATE TABLE `client_assertions` (
  `assertion_hash` varchar(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `client_id` varchar(100) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `expires_date` datetime(6) NOT NULL,
  PRIMARY KEY (`assertion_hash`),
  KEY `client_assertions_expires_date` (`expires_date`)
);
CREATE TABLE `collateral_descriptions` (
  `collateral_id` bigint(20) NOT NULL,
  `description` mediumtext CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `modified_by_user_id` bigint(20) NOT NULL,
  `modified_date` datetime(6) NOT NULL,
  PRIMARY KEY (`collateral_id`),
  KEY `modified_by_user_id` (`modified_by_user_id`),
  CONSTRAINT `collateral_descriptions_ibfk_1` FOREIGN KEY (`collateral_id`) REFERENCES `collaterals` (`collateral_id`),
  CONSTRAINT `collateral_descriptions_ibfk_2` FOREIGN KEY (`modified_by_user_id`) REFERENCES `users` (`user_id`)
);
CREATE TABLE `collateral_insurance_policies` (
  `row_id` bigint(20) NOT NULL AUTO_INCREMENT,
  `collateral_id` bigint(20) NOT NULL,
  `company` varchar(80) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `agent_name` varchar(40) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `policy_number` varchar(30) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `coverage_type` varchar(30) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL CHECK (`coverage_type` in ('collision','comprehensive','hazard','flood','title','other')),
  `coverage_amount` bigint(20) DEFAULT NULL,
  `deductible_amount` bigint(20) DEFAULT NULL,
  `premium_amount` bigint(20) DEFAULT NULL,
  `effective_date` date DEFAULT NULL,
  `expiration_date` date DEFAULT NULL,
  `cancel_date` date DEFAULT NULL,
  `loss_payee_flag` tinyint(1) NOT NULL,
  `force_placed_flag` tinyint(1) NOT NULL,
  `status` varchar(30) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL CHECK (`status` in ('active','expired','cancelled')),
  PRIMARY KEY (`row_id`),
  KEY `collateral_insurance_policies_collateral_id_row_id` (`collateral_id`,`row_id`),
  CONSTRAINT `collateral_insurance_policies_ibfk_1` FOREIGN KEY (`collateral_id`) REFERENCES `collaterals` (`collateral_id`)
);
CREATE TABLE `collateral_locations` (
  `collateral_id` bigint(20) NOT NULL,
  `contact_id` bigint(20) DEFAULT NULL,
  `contact_name` varchar(40) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `company_name` varchar(40) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `street_address1` varchar(40) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `street_address2` varchar(40) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `city` varchar(25) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `state` varchar(25) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `zip` varchar(10) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `county` varchar(40) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `country` varchar(40) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `phone` varchar(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  PRIMARY KEY (`collateral_id`),
  KEY `contact_id` (`contact_id`),
  CONSTRAINT `collateral_locations_ibfk_1` FOREIGN KEY (`collateral_id`) REFERENCES `collaterals` (`collateral_id`),
  CONSTRAINT `collateral_locations_ibfk_2` FOREIGN KEY (`contact_id`) REFERENCES `contacts` (`contact_id`)
);
CREATE TABLE `collateral_taxes` (
  `row_id` bigint(20) NOT NULL AUTO_INCREMENT,
  `collateral_id` bigint(20) NOT NULL,
  `authority` varchar(80) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `parcel_number` varchar(40) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `tax_year` int(11) NOT NULL,
  `assessed_value` bigint(20) DEFAULT NULL,
  `tax_amount` bigint(20) NOT NULL,
  `due_date` date NOT NULL,
  `paid_date` date DEFAULT NULL,
  `delinquent_flag` tinyint(1) NOT NULL,
  PRIMARY KEY (`row_id`),
  KEY `collateral_taxes_collateral_id_row_id` (`collateral_id`,`row_id`),
  CONSTRAINT `collateral_taxes_ibfk_1` FOREIGN KEY (`collateral_id`) REFERENCES `collaterals` (`collateral_id`)
);
CREATE TABLE `collateral_vehicles` (
  `collateral_id` bigint(20) NOT NULL,
  `vin` varchar(17) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `year` int(11) DEFAULT NULL,
  `make` varchar(25) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `model` varchar(25) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `style` varchar(25) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `color` varchar(25) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `registered_state` varchar(25) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `license_plate` varchar(25) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `original_miles` int(11) DEFAULT NULL,
  `current_miles` int(11) DEFAULT NULL,
  `title_type` varchar(30) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL CHECK (`title_type` in ('none','paper','electronic','lien')),
  `title_status` varchar(30) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL CHECK (`title_status` in ('not_received','submitted','perfected','released')),
  `title_status_date` date DEFAULT NULL,
  `title_number` varchar(25) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `branded_title` varchar(30) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL CHECK (`branded_title` in ('none','salvage','flood','rebuilt','other')),
  `purchase_price` bigint(20) DEFAULT NULL,
  `current_value` bigint(20) DEFAULT NULL,
  `valuation_method` varchar(25) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `valuation_date` date DEFAULT NULL,
  `comments` mediumtext CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  PRIMARY KEY (`collateral_id`),
  CONSTRAINT `collateral_vehicles_ibfk_1` FOREIGN KEY (`collateral_id`) REFERENCES `collaterals` (`collateral_id`)
);
INSERT INTO `collateral_vehicles` VALUES (1,'1HGCM82633A004352',2003,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'none','not_received',NULL,NULL,'none',NULL,NULL,NULL,NULL,NULL);
CREATE TABLE `collaterals` (
  `collateral_id` bigint(20) NOT NULL AUTO_INCREMENT,
  `contact_id` bigint(20) DEFAULT NULL,
  `collateral_code` varchar(15) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `acquisition_date` date DEFAULT NULL,
  `priced_date` date DEFAULT NULL,
  `number_of_units` int(11) NOT NULL,
  `price_per_unit` bigint(20) NOT NULL,
  `percentage_value` bigint(20) NOT NULL,
  `net_value` bigint(20) NOT NULL,
  `notes` mediumtext CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  PRIMARY KEY (`collateral_id`),
  KEY `collaterals_contact_id` (`contact_id`),
  CONSTRAINT `collaterals_ibfk_1` FOREIGN KEY (`contact_id`) REFERENCES `contacts` (`contact_id`)
) AUTO_INCREMENT=2;
INSERT INTO `collaterals` VALUES (1,NULL,'AUTO',NULL,NULL,1,300000000,8000000000,240000000,NULL);
CREATE TABLE `comment_categories` (
  `comment_category_id` bigint(20) NOT NULL AUTO_INCREMENT,
  `code` varchar(25) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `description` varchar(80) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `active_flag` tinyint(1) NOT NULL,
  PRIMARY KEY (`comment_category_id`),
  UNIQUE KEY `comment_categories_code` (`code`)
) AUTO_INCREMENT=2;
INSERT INTO `comment_categories` VALUES (1,'GENERAL','General',1);
CREATE TABLE `comments` (
  `comment_id` bigint(20) NOT NULL AUTO_INCREMENT,
  `loan_id` bigint(20) DEFAULT NULL,
  `contact_id` bigint(20) DEFAULT NULL,
  `collateral_id` bigint(20) DEFAULT NULL,
  `comment_category_id` bigint(20) NOT NULL,
  `comment` mediumtext CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `action_date` date DEFAULT NULL,
  `priority` varchar(30) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL CHECK (`priority` in ('low','normal','high')),
  `pinned_flag` tinyint(1) NOT NULL,
  `entered_by_user_id` bigint(20) NOT NULL,
  `entered_date` datetime(6) NOT NULL,
  `modified_by_user_id` bigint(20) DEFAULT NULL,
  `modified_date` datetime(6) DEFAULT NULL,
  PRIMARY KEY (`comment_id`),
  KEY `comment_category_id` (`comment_category_id`),
  KEY `entered_by_user_id` (`entered_by_user_id`),
  KEY `modified_by_user_id` (`modified_by_user_id`),
  KEY `comments_loan_id` (`loan_id`),
  KEY `comments_contact_id` (`contact_id`),
  KEY `comments_collateral_id` (`collateral_id`),
  CONSTRAINT `comments_ibfk_1` FOREIGN KEY (`loan_id`) REFERENCES `loans` (`loan_id`),
  CONSTRAINT `comments_ibfk_2` FOREIGN KEY (`contact_id`) REFERENCES `contacts` (`contact_id`),
  CONSTRAINT `comments_ibfk_3` FOREIGN KEY (`collateral_id`) REFERENCES `collaterals` (`collateral_id`),
  CONSTRAINT `comments_ibfk_4` FOREIGN KEY (`comment_category_id`) REFERENCES `comment_categories` (`comment_category_id`),
  CONSTRAINT `comments_ibfk_5` FOREIGN KEY (`entered_by_user_id`) REFERENCES `users` (`user_id`),
  CONSTRAINT `comments_ibfk_6` FOREIGN KEY (`modified_by_user_id`) REFERENCES `users` (`user_id`)
) AUTO_INCREMENT=2;
INSERT INTO `comments` VALUES (1,NULL,1,NULL,1,'Prefers e-mail.',NULL,'normal',0,1,'2026-11-22 17:01:07.697503',NULL,NULL);
CREATE TABLE `contact_addresses` (
  `row_id` bigint(20) NOT NULL AUTO_INCREMENT,
  `contact_id` bigint(20) NOT NULL,
  `relationship_code` varchar(25) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `street_address1` varchar(40) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `street_address2` varchar(40) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `city` varchar(25) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `state` varchar(25) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `zip` varchar(10) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `county` varchar(40) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `country` varchar(40) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `from_date` date NOT NULL,
  `to_date` date DEFAULT NULL,
  PRIMARY KEY (`row_id`),
  KEY `contact_addresses_contact_id` (`contact_id`),
  CONSTRAINT `contact_addresses_ibfk_1` FOREIGN KEY (`contact_id`) REFERENCES `contacts` (`contact_id`)
);
CREATE TABLE `contact_types` (
  `contact_type_id` bigint(20) NOT NULL AUTO_INCREMENT,
  `code` varchar(25) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `description` varchar(80) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `active_flag` tinyint(1) NOT NULL,
  PRIMARY KEY (`contact_type_id`),
  UNIQUE KEY `contact_types_code` (`code`)
) AUTO_INCREMENT=2;
INSERT INTO `contact_types` VALUES (1,'BORROWER','Borrower',1);
CREATE TABLE `contacts` (
  `contact_id` bigint(20) NOT NULL AUTO_INCREMENT,
  `contact_number` varchar(25) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `contact_type_id` bigint(20) NOT NULL,
  `entity_code` varchar(25) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `contact_officer_user_id` bigint(20) DEFAULT NULL,
  `short_name` varchar(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `company` varchar(80) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `salutation1` varchar(10) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `first_name1` varchar(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `middle_name1` varchar(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `last_name1` varchar(40) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `suffix1` varchar(5) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `full_name1` varchar(80) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `title1` varchar(25) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `birth_date1` date DEFAULT NULL,
  `deceased_date1` date DEFAULT NULL,
  `tax_id1` varchar(15) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `id_type1` varchar(25) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `id_number1` varchar(30) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `id_issuer1` varchar(40) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `id_expiry_date1` date DEFAULT NULL,
  `salutation2` varchar(10) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `first_name2` varchar(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `middle_name2` varchar(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `last_name2` varchar(40) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `suffix2` varchar(5) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `full_name2` varchar(80) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `title2` varchar(25) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `birth_date2` date DEFAULT NULL,
  `deceased_date2` date DEFAULT NULL,
  `tax_id2` varchar(15) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `id_type2` varchar(25) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `id_number2` varchar(30) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `id_issuer2` varchar(40) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `id_expiry_date2` date DEFAULT NULL,
  `street_address1` varchar(40) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `street_address2` varchar(40) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `city` varchar(25) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `state` varchar(25) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `zip` varchar(10) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `county` varchar(40) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `country` varchar(40) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `email` varchar(100) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `email2` varchar(100) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `home_phone` varchar(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `work_phone` varchar(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `mobile_phone` varchar(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `contact_method` varchar(30) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL CHECK (`contact_method` in ('none','mail','email','phone','text')),
  `created_date` datetime(6) NOT NULL,
  PRIMARY KEY (`contact_id`),
  UNIQUE KEY `contacts_contact_number` (`contact_number`),
  KEY `contact_type_id` (`contact_type_id`),
  KEY `contact_officer_user_id` (`contact_officer_user_id`),
  CONSTRAINT `contacts_ibfk_1` FOREIGN KEY (`contact_type_id`) REFERENCES `contact_types` (`contact_type_id`),
  CONSTRAINT `contacts_ibfk_2` FOREIGN KEY (`contact_officer_user_id`) REFERENCES `users` (`user_id`)
) AUTO_INCREMENT=2;
INSERT INTO `contacts` VALUES (1,'C-2001',1,'INDIVIDUAL',NULL,'RIVERA',NULL,NULL,'Ana',NULL,'Rivera',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'2031-05-31',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'none','2026-11-22 17:01:07.697503');
CREATE TABLE `convenience_fee_rules` (
  `rule_id` bigint(20) NOT NULL AUTO_INCREMENT,
  `loan_group_id` bigint(20) DEFAULT NULL,
  `brand_type` varchar(30) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL CHECK (`brand_type` in ('visa','mastercard','amex','discover','other')),
  `flat_amount` bigint(20) NOT NULL,
  `percentage` bigint(20) NOT NULL,
  `minimum_fee` bigint(20) DEFAULT NULL,
  `maximum_fee` bigint(20) DEFAULT NULL,
  `active_flag` tinyint(1) NOT NULL,
  PRIMARY KEY (`rule_id`),
  KEY `loan_group_id` (`loan_group_id`),
  CONSTRAINT `convenience_fee_rules_ibfk_1` FOREIGN KEY (`loan_group_id`) REFERENCES `loan_groups` (`loan_group_id`)
) AUTO_INCREMENT=2;
INSERT INTO `convenience_fee_rules` VALUES (1,NULL,NULL,15000,100000000,20000,150000,1);
CREATE TABLE `credit_lines` (
  `creditline_id` bigint(20) NOT NULL AUTO_INCREMENT,
  `loan_id` bigint(20) NOT NULL,
  `name` varchar(50) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `description` varchar(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `transaction_code` int(11) NOT NULL,
  `credit_line_limit` bigint(20) NOT NULL,
  `credit_total_draw_limit` bigint(20) DEFAULT NULL,
  `min_draw_amount` bigint(20) DEFAULT NULL,
  `max_draw_amount` bigint(20) DEFAULT NULL,
  `max_number_of_draws` int(11) DEFAULT NULL,
  `draw_until_type` varchar(30) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL CHECK (`draw_until_type` in ('none','from_origination','from_first_draw','fixed_date')),
  `draw_until_period` varchar(30) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL CHECK (`draw_until_period` in ('none','weekly','biweekly','semimonthly','monthly','bimonthly','quarterly','semiannual','annual','maturity')),
  `number_of_periods` int(11) DEFAULT NULL,
  `draw_until_date` date DEFAULT NULL,
  `draw_count` int(11) NOT NULL,
  `draw_total` bigint(20) NOT NULL,
  PRIMARY KEY (`creditline_id`),
  KEY `credit_lines_loan_id_creditline_id` (`loan_id`,`creditline_id`),
  CONSTRAINT `credit_lines_ibfk_1` FOREIGN KEY (`loan_id`) REFERENCES `loans` (`loan_id`)
);
CREATE TABLE `credit_profiles` (
  `report_id` bigint(20) NOT NULL AUTO_INCREMENT,
  `contact_id` bigint(20) NOT NULL,
  `person_number` int(11) NOT NULL,
  `bureau_code` varchar(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `pull_type` varchar(30) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL CHECK (`pull_type` in ('hard','soft')),
  `purpose_code` varchar(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `pulled_date` datetime(6) NOT NULL,
  `pulled_by_user_id` bigint(20) NOT NULL,
  `score` int(11) DEFAULT NULL,
  `score_model` varchar(30) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `score_factors` longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL CHECK (json_valid(`score_factors`)),
  `tradeline_count` int(11) NOT NULL,
  `inquiry_count` int(11) NOT NULL,
  `public_record_count` int(11) NOT NULL,
  `collection_count` int(11) NOT NULL,
  `open_balance` bigint(20) NOT NULL,
  `past_due_amount` bigint(20) NOT NULL,
  `alerts` longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL CHECK (json_valid(`alerts`)),
  `expires_date` date DEFAULT NULL,
  PRIMARY KEY (`report_id`),
  KEY `pulled_by_user_id` (`pulled_by_user_id`),
  KEY `credit_profiles_contact_id` (`contact_id`),
  CONSTRAINT `credit_profiles_ibfk_1` FOREIGN KEY (`contact_id`) REFERENCES `contacts` (`contact_id`),
  CONSTRAINT `credit_profiles_ibfk_2` FOREIGN KEY (`pulled_by_user_id`) REFERENCES `users` (`user_id`)
);
CREATE TABLE `document_files` (
  `file_id` bigint(20) NOT NULL AUTO_INCREMENT,
  `document_id` bigint(20) NOT NULL,
  `file_name` varchar(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `content_type` varchar(100) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `size_bytes` bigint(20) NOT NULL,
  `sha256` varchar(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `object_key` varchar(100) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `uploaded_by_user_id` bigint(20) NOT NULL,
  `uploaded_date` datetime(6) NOT NULL,
  PRIMARY KEY (`file_id`),
  UNIQUE KEY `document_files_object_key` (`object_key`),
  KEY `uploaded_by_user_id` (`uploaded_by_user_id`),
  KEY `document_files_document_id_file_id` (`document_id`,`file_id`),
  CONSTRAINT `document_files_ibfk_1` FOREIGN KEY (`document_id`) REFERENCES `documents` (`document_id`),
  CONSTRAINT `document_files_ibfk_2` FOREIGN KEY (`uploaded_by_user_id`) REFERENCES `users` (`user_id`)
) AUTO_INCREMENT=2;
INSERT INTO `document_files` VALUES (1,1,'letter.txt','text/plain',30,'ed3aeda0c646516b8c9e91bf5cafa2f3ed2075778e3eb058fae88a1db4757008','b1e143207b0bbf1e2bc68943af930c68',1,'2026-11-22 17:01:07.853072');
CREATE TABLE `documents` (
  `document_id` bigint(20) NOT NULL AUTO_INCREMENT,
  `owner_type` varchar(30) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL CHECK (`owner_type` in ('loan_comment','contact_comment','collateral_comment','loan_detail1','loan_detail2','contact_detail','contact_demographics','contact_financials')),
  `owner_id` bigint(20) NOT NULL,
  `field_name` varchar(10) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `name` varchar(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `description` mediumtext CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `created_by_user_id` bigint(20) NOT NULL,
  `created_date` datetime(6) NOT NULL,
  `modified_by_user_id` bigint(20) DEFAULT NULL,
  `modified_date` datetime(6) DEFAULT NULL,
  PRIMARY KEY (`document_id`),
  KEY `created_by_user_id` (`created_by_user_id`),
  KEY `modified_by_user_id` (`modified_by_user_id`),
  KEY `documents_owner_type_owner_id_field_name_document_id` (`owner_type`,`owner_id`,`field_name`,`document_id`),
  CONSTRAINT `documents_ibfk_1` FOREIGN KEY (`created_by_user_id`) REFERENCES `users` (`user_id`),
  CONSTRAINT `documents_ibfk_2` FOREIGN KEY (`modified_by_user_id`) REFERENCES `users` (`user_id`)
) AUTO_INCREMENT=2;
INSERT INTO `documents` VALUES (1,'contact_comment',1,NULL,'letter.txt',NULL,1,'2026-11-22 17:01:07.853072',NULL,NULL);
CREATE TABLE `entities` (
  `entity_code` varchar(25) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `description` varchar(80) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `active_flag` tinyint(1) NOT NULL,
  `person_flag` tinyint(1) NOT NULL,
  PRIMARY KEY (`entity_code`)
);
INSERT INTO `entities` VALUES ('COMPANY','Company',1,0);
INSERT INTO `entities` VALUES ('INDIVIDUAL','Individual',1,1);
CREATE TABLE `field_changes` (
  `row_id` bigint(20) NOT NULL AUTO_INCREMENT,
  `loan_id` bigint(20) DEFAULT NULL,
  `contact_id` bigint(20) DEFAULT NULL,
  `table_name` varchar(50) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `field_name` varchar(50) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `field_label` varchar(80) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `old_value` mediumtext CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `new_value` mediumtext CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `modified_by_user_id` bigint(20) DEFAULT NULL,
  `modified_by_name` varchar(80) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `modified_date` datetime(6) NOT NULL,
  `source` varchar(30) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL CHECK (`source` in ('api','xml','gateway','batch','installer')),
  `request_id` varchar(40) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `privilege_path` varchar(100) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `comment_category_id` bigint(20) DEFAULT NULL,
  `record_id` bigint(20) NOT NULL DEFAULT 0,
  `comment_id` bigint(20) DEFAULT NULL,
  PRIMARY KEY (`row_id`),
  KEY `field_changes_loan_id_row_id` (`loan_id`,`row_id`),
  KEY `field_changes_contact_id_row_id` (`contact_id`,`row_id`),
  KEY `field_changes_comment_id` (`comment_id`)
) AUTO_INCREMENT=152;
INSERT INTO `field_changes` VALUES (1,NULL,1,'contacts','Contact_ID','Contact ID',NULL,'1',1,'admin','2026-11-22 17:01:07.697503','xml','c9506813301ed027f5af218ba289c557','Contact > Records',NULL,1,NULL);
INSERT INTO `field_changes` VALUES (2,NULL,1,'contacts','Contact_Number','Contact Number',NULL,'C-2001',1,'admin','2026-11-22 17:01:07.697503','xml','c9506813301ed027f5af218ba289c557','Contact > Records',NULL,1,NULL);
INSERT INTO `field_changes` VALUES (3,NULL,1,'contacts','Contact_Type_ID','Contact Type ID',NULL,'1',1,'admin','2026-11-22 17:01:07.697503','xml','c9506813301ed027f5af218ba289c557','Contact > Records',NULL,1,NULL);
INSERT INTO `field_changes` VALUES (4,NULL,1,'contacts','Entity_Code','Entity Code',NULL,'INDIVIDUAL',1,'admin','2026-11-22 17:01:07.697503','xml','c9506813301ed027f5af218ba289c557','Contact > Records',NULL,1,NULL);
INSERT INTO `field_changes` VALUES (5,NULL,1,'contacts','Short_Name','Short Name',NULL,'RIVERA',1,'admin','2026-11-22 17:01:07.697503','xml','c9506813301ed027f5af218ba289c557','Contact > Records',NULL,1,NULL);
INSERT INTO `field_changes` VALUES (6,NULL,1,'contacts','First_Name1','First Name1',NULL,'Ana',1,'admin','2026-11-22 17:01:07.697503','xml','c9506813301ed027f5af218ba289c557','Contact > Records',NULL,1,NULL);
INSERT INTO `field_changes` VALUES (7,NULL,1,'contacts','Last_Name1','Last Name1',NULL,'Rivera',1,'admin','2026-11-22 17:01:07.697503','xml','c9506813301ed027f5af218ba289c557','Contact > Records',NULL,1,NULL);
INSERT INTO `field_changes` VALUES (8,NULL,1,'contacts','IDExpiryDate1','IDExpiryDate1',NULL,'2031-05-31',1,'admin','2026-11-22 17:01:07.697503','xml','c9506813301ed027f5af218ba289c557','Contact > Records',NULL,1,NULL);
INSERT INTO `field_changes` VALUES (9,NULL,1,'contacts','Contact_Method','Contact Method',NULL,'none',1,'admin','2026-11-22 17:01:07.697503','xml','c9506813301ed027f5af218ba289c557','Contact > Records',NULL,1,NULL);
INSERT INTO `field_changes` VALUES (10,NULL,1,'contacts','Created_Date','Created Date',NULL,'2026-11-22T17:01:07.697503Z',1,'admin','2026-11-22 17:01:07.697503','xml','c9506813301ed027f5af218ba289c557','Contact > Records',NULL,1,NULL);
INSERT INTO `field_changes` VALUES (11,NULL,1,'web_credentials','Contact_ID','Contact ID',NULL,'1',1,'admin','2026-11-22 17:01:07.697503','xml','c9506813301ed027f5af218ba289c557','Contact > Records',NULL,1,NULL);
INSERT INTO `field_changes` VALUES (12,NULL,1,'web_credentials','Web_User_Name','Web User Name',NULL,'ana.rivera',1,'admin','2026-11-22 17:01:07.697503','xml','c9506813301ed027f5af218ba289c557','Contact > Records',NULL,1,NULL);
CREATE TABLE `group_members` (
  `row_id` bigint(20) NOT NULL AUTO_INCREMENT,
  `group_id` bigint(20) NOT NULL,
  `user_id` bigint(20) NOT NULL,
  PRIMARY KEY (`row_id`),
  UNIQUE KEY `group_members_group_id_user_id` (`group_id`,`user_id`),
  KEY `group_members_user_id` (`user_id`),
  CONSTRAINT `group_members_ibfk_1` FOREIGN KEY (`group_id`) REFERENCES `user_groups` (`group_id`),
  CONSTRAINT `group_members_ibfk_2` FOREIGN KEY (`user_id`) REFERENCES `users` (`user_id`)
);
CREATE TABLE `idempotency_records` (
  `record_id` bigint(20) NOT NULL AUTO_INCREMENT,
  `scope_hash` varchar(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `fingerprint` varchar(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `claim_token` varchar(32) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `lease_until` datetime(6) NOT NULL,
  `status` int(11) DEFAULT NULL,
  `body` mediumtext CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `created_date` datetime(6) NOT NULL,
  PRIMARY KEY (`record_id`),
  UNIQUE KEY `idempotency_records_scope_hash` (`scope_hash`),
  KEY `idempotency_records_created_date` (`created_date`)
) AUTO_INCREMENT=2;
INSERT INTO `idempotency_records` VALUES (1,'f82bcf9804eb8560e8d1509379b86e034b7695c4a6ff346338d9de35d12d466c','b14facc66de33843e4cd42d87b061b1e5981cce0de773dc1e4251312cf5369f2','f1a29fe2819a1d0ab1e3390811a4ff2f','2026-11-22 17:11:07.699085',200,'','2026-11-22 17:01:07.699085');
CREATE TABLE `import_records` (
  `row_id` bigint(20) NOT NULL AUTO_INCREMENT,
  `import_id` bigint(20) NOT NULL,
  `record_index` bigint(20) NOT NULL,
  `record_count` int(11) NOT NULL,
  `part` int(11) NOT NULL,
  `result` mediumtext CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  PRIMARY KEY (`row_id`),
  UNIQUE KEY `import_records_import_id_record_index_part` (`import_id`,`record_index`,`part`),
  CONSTRAINT `import_records_ibfk_1` FOREIGN KEY (`import_id`) REFERENCES `import_runs` (`import_id`)
) AUTO_INCREMENT=2;
INSERT INTO `import_records` VALUES (1,1,0,1,0,'[[{\"Line\":2,\"Element\":\"Contact\",\"Action\":\"inserted\",\"Key\":\"C-2001\",\"New_ID\":1,\"Messages\":[]},{\"Line\":2,\"Element\":\"Comment\",\"Action\":\"inserted\",\"New_ID\":1,\"Messages\":[]},{\"Line\":3,\"Element\":\"Loan\",\"Action\":\"inserted\",\"Key\":\"L-2001\",\"New_ID\":1,\"Messages\":[]},{\"Line\":3,\"Element\":\"Collateral\",\"Action\":\"inserted\",\"New_ID\":1,\"Messages\":[]},{\"Line\":4,\"Element\":\"Loan\",\"Action\":\"inserted\",\"Key\":\"L-2002\",\"New_ID\":2,\"Messages\":[]},{\"Line\":6,\"Element\":\"Payment\",\"Action\":\"inserted\",\"Key\":\"L-2001\",\"New_ID\":3,\"Messages\":[]},{\"Line\":7,\"Element\":\"Payment\",\"Action\":\"inserted\",\"Key\":\"L-2001\",\"New_ID\":6,\"Messages\":[]},{\"Line\":8,\"Element\":\"Payment\",\"Action\":\"inserted\",\"Key\":\"L-2002\",\"New_ID\":9,\"Messages\":[]}]]');
CREATE TABLE `import_runs` (
  `import_id` bigint(20) NOT NULL AUTO_INCREMENT,
  `scope_hash` varchar(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `body_hash` varchar(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `started_date` datetime(6) NOT NULL,
  `committed_flag` tinyint(1) DEFAULT NULL,
  `read_count` bigint(20) NOT NULL,
  `inserted_count` bigint(20) NOT NULL,
  `updated_count` bigint(20) NOT NULL,
  `deleted_count` bigint(20) NOT NULL,
  `failed_count` bigint(20) NOT NULL,
  PRIMARY KEY (`import_id`),
  UNIQUE KEY `import_runs_scope_hash` (`scope_hash`)
) AUTO_INCREMENT=2;
INSERT INTO `import_runs` VALUES (1,'f82bcf9804eb8560e8d1509379b86e034b7695c4a6ff346338d9de35d12d466c','b14facc66de33843e4cd42d87b061b1e5981cce0de773dc1e4251312cf5369f2','2026-11-22 17:01:07.700418',1,8,8,0,0,0);
CREATE TABLE `interest_plans` (
  `interest_plan_id` bigint(20) NOT NULL AUTO_INCREMENT,
  `name` varchar(50) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `active_flag` tinyint(1) NOT NULL,
  `interest_method` varchar(30) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL CHECK (`interest_method` = 'SI'),
  `interest_year_numerator` varchar(30) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL CHECK (`interest_year_numerator` in ('360','364','365','366','ACT')),
  `interest_year_denominator` varchar(30) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL CHECK (`interest_year_denominator` in ('360','364','365','366','ACT')),
  `rate_type` varchar(30) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL CHECK (`rate_type` in ('fixed','variable')),
  `starting_rate` bigint(20) NOT NULL,
  PRIMARY KEY (`interest_plan_id`),
  UNIQUE KEY `interest_plans_name` (`name`)
) AUTO_INCREMENT=2;
INSERT INTO `interest_plans` VALUES (1,'STANDARD',1,'SI','ACT','365','fixed',1000000000);
CREATE TABLE `loan_collaterals` (
  `row_id` bigint(20) NOT NULL AUTO_INCREMENT,
  `loan_id` bigint(20) NOT NULL,
  `collateral_id` bigint(20) NOT NULL,
  PRIMARY KEY (`row_id`),
  UNIQUE KEY `loan_collaterals_loan_id_collateral_id` (`loan_id`,`collateral_id`),
  KEY `loan_collaterals_collateral_id` (`collateral_id`),
  CONSTRAINT `loan_collaterals_ibfk_1` FOREIGN KEY (`loan_id`) REFERENCES `loans` (`loan_id`),
  CONSTRAINT `loan_collaterals_ibfk_2` FOREIGN KEY (`collateral_id`) REFERENCES `collaterals` (`collateral_id`)
) AUTO_INCREMENT=2;
INSERT INTO `loan_collaterals` VALUES (1,1,1);
CREATE TABLE `loan_contacts` (
  `row_id` bigint(20) NOT NULL AUTO_INCREMENT,
  `loan_id` bigint(20) NOT NULL,
  `contact_id` bigint(20) NOT NULL,
  `relationship_code` varchar(25) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `web_access_flag` tinyint(1) NOT NULL,
  PRIMARY KEY (`row_id`),
  UNIQUE KEY `loan_contacts_loan_id_contact_id_relationship_code` (`loan_id`,`contact_id`,`relationship_code`),
  KEY `loan_contacts_contact_id` (`contact_id`),
  CONSTRAINT `loan_contacts_ibfk_1` FOREIGN KEY (`loan_id`) REFERENCES `loans` (`loan_id`),
  CONSTRAINT `loan_contacts_ibfk_2` FOREIGN KEY (`contact_id`) REFERENCES `contacts` (`contact_id`)
);
CREATE TABLE `loan_groups` (
  `loan_group_id` bigint(20) NOT NULL AUTO_INCREMENT,
  `code` varchar(25) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `description` varchar(80) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `active_flag` tinyint(1) NOT NULL,
  `payment_gateway_flag` tinyint(1) NOT NULL,
  PRIMARY KEY (`loan_group_id`),
  UNIQUE KEY `loan_groups_code` (`code`)
) AUTO_INCREMENT=3;
INSERT INTO `loan_groups` VALUES (1,'CONSUMER','Consumer loans',1,1);
INSERT INTO `loan_groups` VALUES (2,'COMMERCIAL','Commercial loans',1,0);
CREATE TABLE `loan_interest_rates` (
  `row_id` bigint(20) NOT NULL AUTO_INCREMENT,
  `loan_id` bigint(20) NOT NULL,
  `effective_date` date NOT NULL,
  `interest_rate` bigint(20) NOT NULL,
  PRIMARY KEY (`row_id`),
  UNIQUE KEY `loan_interest_rates_loan_id_effective_date` (`loan_id`,`effective_date`),
  CONSTRAINT `loan_interest_rates_ibfk_1` FOREIGN KEY (`loan_id`) REFERENCES `loans` (`loan_id`)
) AUTO_INCREMENT=3;
INSERT INTO `loan_interest_rates` VALUES (1,1,'2024-01-15',1407000000);
INSERT INTO `loan_interest_rates` VALUES (2,2,'2021-10-25',1000000000);
CREATE TABLE `loan_snapshots` (
  `transaction_id` bigint(20) NOT NULL,
  `prior_state` longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL CHECK (json_valid(`prior_state`)),
  PRIMARY KEY (`transaction_id`),
  CONSTRAINT `loan_snapshots_ibfk_1` FOREIGN KEY (`transaction_id`) REFERENCES `loan_transactions` (`transaction_id`)
);
INSERT INTO `loan_snapshots` VALUES (3,'{\"loan_id\":1,\"loan_number\":\"L-2001\",\"contact_id\":1,\"loan_nickname\":null,\"loan_group_id\":1,\"portfolio_id\":1,\"status_code_id\":1,\"risk_rating_id\":null,\"interest_plan_id\":null,\"entity_code\":null,\"contractual_jurisdiction\":\"NJ\",\"loan_officer_user_id\":null,\"collection_officer_user_id\":null,\"loan_type\":\"term\",\"interest_method\":\"SI\",\"interest_year_numerator\":\"360\",\"interest_year_denominator\":\"360\",\"starting_interest_rate\":\"14.07\",\"current_interest_rate\":\"14.07\",\"original_note_amount\":\"28000.00\",\"origination_date\":\"2024-01-15\",\"interest_start_date\":\"2024-01-15\",\"payment_period\":\"monthly\",\"payment_amount\":\"652.53\",\"number_of_payments\":60,\"first_payment_date\":\"2024-02-15\",\"next_due_date\":\"2024-02-15\",\"maturity_date\":\"2029-01-15\",\"payment_day\":15,\"advance_days\":21,\"payment_distribution\":\"past_due,current_interest_due,accrued_interest,current_principal,late_charges,fees,excess\",\"excess_handling\":\"principal\",\"current_principal_balance\":\"28000.00\",\"current_interest_balance\":\"0.00\",\"current_late_charge_balance\":\"0.00\",\"current_fees_balance\":\"0.00\",\"current_impound_balance\":\"0.00\",\"current_suspense_balance\":\"0.00\",\"interest_accrued_thru_date\":\"2024-01-15\",\"interest_accrued_total\":\"0.00000000\",\"interest_settled_total\":\"0.00\",\"paid_ahead_amount\":\"0.00\",\"accrual_base_date\":\"2024-01-15\",\"accrual_base_total\":\"0.00000000\",\"last_payment_date\":null,\"last_payment_amount\":null,\"last_activity_date\":\"2024-01-15\",\"payoff_date\":null,\"closed_date\":null,\"created_date\":\"2026-11-22T17:01:07.697503Z\"}');
INSERT INTO `loan_snapshots` VALUES (6,'{\"loan_id\":1,\"loan_number\":\"L-2001\",\"contact_id\":1,\"loan_nickname\":null,\"loan_group_id\":1,\"portfolio_id\":1,\"status_code_id\":1,\"risk_rating_id\":null,\"interest_plan_id\":null,\"entity_code\":null,\"contractual_jurisdiction\":\"NJ\",\"loan_officer_user_id\":null,\"collection_officer_user_id\":null,\"loan_type\":\"term\",\"interest_method\":\"SI\",\"interest_year_numerator\":\"360\",\"interest_year_denominator\":\"360\",\"starting_interest_rate\":\"14.07\",\"current_interest_rate\":\"14.07\",\"original_note_amount\":\"28000.00\",\"origination_date\":\"2024-01-15\",\"interest_start_date\":\"2024-01-15\",\"payment_period\":\"monthly\",\"payment_amount\":\"652.53\",\"number_of_payments\":60,\"first_payment_date\":\"2024-02-15\",\"next_due_date\":\"2024-03-15\",\"maturity_date\":\"2029-01-15\",\"payment_day\":15,\"advance_days\":21,\"payment_distribution\":\"past_due,current_interest_due,accrued_interest,current_principal,late_charges,fees,excess\",\"excess_handling\":\"principal\",\"current_principal_balance\":\"27675.77\",\"current_interest_balance\":\"0.00\",\"current_late_charge_balance\":\"0.00\",\"current_fees_balance\":\"0.00\",\"current_impound_balance\":\"0.00\",\"current_suspense_balance\":\"0.00\",\"interest_accrued_thru_date\":\"2024-02-15\",\"interest_accrued_total\":\"328.30000000\",\"interest_settled_total\":\"328.30\",\"paid_ahead_amount\":\"0.00\",\"accrual_base_date\":\"2024-02-15\",\"accrual_base_total\":\"328.30000000\",\"last_payment_date\":\"2024-02-15\",\"last_payment_amount\":\"652.53\",\"last_activity_date\":\"2024-02-15\",\"payoff_date\":null,\"closed_date\":null,\"created_date\":\"2026-11-22T17:01:07.697503Z\"}');
INSERT INTO `loan_snapshots` VALUES (9,'{\"loan_id\":2,\"loan_number\":\"L-2002\",\"contact_id\":1,\"loan_nickname\":null,\"loan_group_id\":1,\"portfolio_id\":1,\"status_code_id\":1,\"risk_rating_id\":null,\"interest_plan_id\":null,\"entity_code\":null,\"contractual_jurisdiction\":null,\"loan_officer_user_id\":null,\"collection_officer_user_id\":null,\"loan_type\":\"term\",\"interest_method\":\"SI\",\"interest_year_numerator\":\"ACT\",\"interest_year_denominator\":\"365\",\"starting_interest_rate\":\"10.00\",\"current_interest_rate\":\"10.00\",\"original_note_amount\":\"10000.00\",\"origination_date\":\"2021-10-25\",\"interest_start_date\":\"2021-10-25\",\"payment_period\":\"none\",\"payment_amount\":null,\"number_of_payments\":null,\"first_payment_date\":null,\"next_due_date\":null,\"maturity_date\":null,\"payment_day\":null,\"advance_days\":21,\"payment_distribution\":\"past_due,current_interest_due,accrued_interest,current_principal,late_charges,fees,excess\",\"excess_handling\":\"principal\",\"current_principal_balance\":\"10000.00\",\"current_interest_balance\":\"0.00\",\"current_late_charge_balance\":\"0.00\",\"current_fees_balance\":\"0.00\",\"current_impound_balance\":\"0.00\",\"current_suspense_balance\":\"0.00\",\"interest_accrued_thru_date\":\"2021-10-25\",\"interest_accrued_total\":\"0.00000000\",\"interest_settled_total\":\"0.00\",\"paid_ahead_amount\":\"0.00\",\"accrual_base_date\":\"2021-10-25\",\"accrual_base_total\":\"0.00000000\",\"last_payment_date\":null,\"last_payment_amount\":null,\"last_activity_date\":\"2021-10-25\",\"payoff_date\":null,\"closed_date\":null,\"created_date\":\"2026-11-22T17:01:07.697503Z\"}');
INSERT INTO `loan_snapshots` VALUES (12,'{\"loan_id\":1,\"loan_number\":\"L-2001\",\"contact_id\":1,\"loan_nickname\":null,\"loan_group_id\":1,\"portfolio_id\":1,\"status_code_id\":1,\"risk_rating_id\":null,\"interest_plan_id\":null,\"entity_code\":null,\"contractual_jurisdiction\":\"NJ\",\"loan_officer_user_id\":null,\"collection_officer_user_id\":null,\"loan_type\":\"term\",\"interest_method\":\"SI\",\"interest_year_numerator\":\"360\",\"interest_year_denominator\":\"360\",\"starting_interest_rate\":\"14.07\",\"current_interest_rate\":\"14.07\",\"original_note_amount\":\"28000.00\",\"origination_date\":\"2024-01-15\",\"interest_start_date\":\"2024-01-15\",\"payment_period\":\"monthly\",\"payment_amount\":\"652.53\",\"number_of_payments\":60,\"first_payment_date\":\"2024-02-15\",\"next_due_date\":\"2024-04-15\",\"maturity_date\":\"2029-01-15\",\"payment_day\":15,\"advance_days\":21,\"payment_distribution\":\"past_due,current_interest_due,accrued_interest,current_principal,late_charges,fees,excess\",\"excess_handling\":\"principal\",\"current_principal_balance\":\"27347.74\",\"current_interest_balance\":\"0.00\",\"current_late_charge_balance\":\"0.00\",\"current_fees_balance\":\"0.00\",\"current_impound_balance\":\"0.00\",\"current_suspense_balance\":\"0.00\",\"interest_accrued_thru_date\":\"2024-03-15\",\"interest_accrued_total\":\"652.79840325\",\"interest_settled_total\":\"652.80\",\"paid_ahead_amount\":\"0.00\",\"accrual_base_date\":\"2024-03-15\",\"accrual_base_total\":\"652.79840325\",\"last_payment_date\":\"2024-03-15\",\"last_payment_amount\":\"652.53\",\"last_activity_date\":\"2024-03-15\",\"payoff_date\":null,\"closed_date\":null,\"created_date\":\"2026-11-22T17:01:07.697503Z\"}');
CREATE TABLE `loan_status_codes` (
  `status_code_id` bigint(20) NOT NULL AUTO_INCREMENT,
  `code` varchar(25) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `description` varchar(80) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `active_flag` tinyint(1) NOT NULL,
  `closed_flag` tinyint(1) NOT NULL,
  `stop_accrual_flag` tinyint(1) NOT NULL,
  `stop_late_charge_flag` tinyint(1) NOT NULL,
  `refuse_payments_flag` tinyint(1) NOT NULL,
  PRIMARY KEY (`status_code_id`),
  UNIQUE KEY `loan_status_codes_code` (`code`)
) AUTO_INCREMENT=5;
INSERT INTO `loan_status_codes` VALUES (1,'ACTIVE','Active',1,0,0,0,0);
INSERT INTO `loan_status_codes` VALUES (2,'PAID_OFF','Paid off',1,1,0,0,0);
INSERT INTO `loan_status_codes` VALUES (3,'CHARGED_OFF','Charged off',1,0,1,1,0);
INSERT INTO `loan_status_codes` VALUES (4,'CLOSED','Closed',1,1,0,0,0);
CREATE TABLE `loan_transactions` (
  `transaction_id` bigint(20) NOT NULL AUTO_INCREMENT,
  `loan_id` bigint(20) NOT NULL,
  `transaction_reference_no` bigint(20) NOT NULL,
  `transaction_code` int(11) NOT NULL,
  `transaction_description` varchar(50) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `transaction_date` datetime(6) NOT NULL,
  `effective_date` date NOT NULL,
  `gl_date` date NOT NULL,
  `transaction_amount` bigint(20) NOT NULL,
  `balance_name` varchar(30) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL CHECK (`balance_name` in ('principal','interest','late_charge','fees','impound','suspense')),
  `resulting_balance` bigint(20) DEFAULT NULL,
  `payment_method_code` varchar(25) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `payment_method_reference` varchar(50) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `user_reference` varchar(100) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `paid_by_contact_id` bigint(20) DEFAULT NULL,
  `creditline_id` bigint(20) DEFAULT NULL,
  `cash_drawer_id` bigint(20) DEFAULT NULL,
  `payment_gateway_token_id` bigint(20) DEFAULT NULL,
  `external_id` varchar(100) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `userdef01` varchar(50) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `userdef02` varchar(50) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `userdef03` varchar(50) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `userdef04` varchar(50) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `userdef05` varchar(50) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `entered_by_user_id` bigint(20) NOT NULL,
  `reversed_flag` tinyint(1) NOT NULL,
  `reversal_transaction_id` bigint(20) DEFAULT NULL,
  `nsf_flag` tinyint(1) NOT NULL,
  `nsf_date` date DEFAULT NULL,
  PRIMARY KEY (`transaction_id`),
  UNIQUE KEY `loan_transactions_loan_id_external_id` (`loan_id`,`external_id`),
  KEY `paid_by_contact_id` (`paid_by_contact_id`),
  KEY `entered_by_user_id` (`entered_by_user_id`),
  KEY `loan_transactions_loan_id_effective_date_transaction_id` (`loan_id`,`effective_date`,`transaction_id`),
  KEY `loan_transactions_transaction_reference_no` (`transaction_reference_no`),
  KEY `loan_transactions_creditline_id_transaction_id` (`creditline_id`,`transaction_id`),
  KEY `loan_transactions_loan_id_transaction_code_effective_date_tr` (`loan_id`,`transaction_code`,`effective_date`,`transaction_id`),
  CONSTRAINT `loan_transactions_ibfk_1` FOREIGN KEY (`loan_id`) REFERENCES `loans` (`loan_id`),
  CONSTRAINT `loan_transactions_ibfk_2` FOREIGN KEY (`paid_by_contact_id`) REFERENCES `contacts` (`contact_id`),
  CONSTRAINT `loan_transactions_ibfk_3` FOREIGN KEY (`entered_by_user_id`) REFERENCES `users` (`user_id`)
) AUTO_INCREMENT=18;
INSERT INTO `loan_transactions` VALUES (1,1,1,100,'Advance','2026-11-22 17:01:07.697503','2024-01-15','2026-11-22',280000000,'principal',280000000,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,1,0,NULL,0,NULL);
INSERT INTO `loan_transactions` VALUES (2,2,2,100,'Advance','2026-11-22 17:01:07.697503','2021-10-25','2026-11-22',100000000,'principal',100000000,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,1,0,NULL,0,NULL);
INSERT INTO `loan_transactions` VALUES (3,1,3,120,'Payment total','2026-11-22 17:01:07.697503','2024-02-15','2026-11-22',6525300,NULL,276757700,'ACH',NULL,NULL,1,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,1,0,NULL,0,NULL);
INSERT INTO `loan_transactions` VALUES (4,1,3,122,'Principal payment','2026-11-22 17:01:07.697503','2024-02-15','2026-11-22',3242300,'principal',276757700,'ACH',NULL,NULL,1,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,1,0,NULL,0,NULL);
INSERT INTO `loan_transactions` VALUES (5,1,3,124,'Interest payment','2026-11-22 17:01:07.697503','2024-02-15','2026-11-22',3283000,'interest',0,'ACH',NULL,NULL,1,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,1,0,NULL,0,NULL);
INSERT INTO `loan_transactions` VALUES (6,1,6,120,'Payment total','2026-11-22 17:01:07.697503','2024-03-15','2026-11-22',6525300,NULL,273477400,'ACH',NULL,NULL,1,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,1,0,NULL,0,NULL);
INSERT INTO `loan_transactions` VALUES (7,1,6,122,'Principal payment','2026-11-22 17:01:07.697503','2024-03-15','2026-11-22',3280300,'principal',273477400,'ACH',NULL,NULL,1,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,1,0,NULL,0,NULL);
INSERT INTO `loan_transactions` VALUES (8,1,6,124,'Interest payment','2026-11-22 17:01:07.697503','2024-03-15','2026-11-22',3245000,'interest',0,'ACH',NULL,NULL,1,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,1,0,NULL,0,NULL);
INSERT INTO `loan_transactions` VALUES (9,2,9,120,'Payment total','2026-11-22 17:01:07.697503','2021-11-25','2026-11-22',8791600,NULL,92057700,'ACH',NULL,NULL,1,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,1,0,NULL,0,NULL);
INSERT INTO `loan_transactions` VALUES (10,2,9,122,'Principal payment','2026-11-22 17:01:07.697503','2021-11-25','2026-11-22',7942300,'principal',92057700,'ACH',NULL,NULL,1,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,1,0,NULL,0,NULL);
INSERT INTO `loan_transactions` VALUES (11,2,9,124,'Interest payment','2026-11-22 17:01:07.697503','2021-11-25','2026-11-22',849300,'interest',0,'ACH',NULL,NULL,1,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,1,0,NULL,0,NULL);
INSERT INTO `loan_transactions` VALUES (12,1,12,120,'Payment total','2026-11-22 17:01:07.837157','2024-04-15','2026-11-22',6525300,NULL,270158600,'ACH',NULL,'before the upgrade',1,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,1,0,NULL,0,NULL);
INSERT INTO `loan_transactions` VALUES (13,1,12,122,'Principal payment','2026-11-22 17:01:07.837157','2024-04-15','2026-11-22',3318800,'principal',270158600,'ACH',NULL,'before the upgrade',1,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,1,0,NULL,0,NULL);
INSERT INTO `loan_transactions` VALUES (14,1,12,124,'Interest payment','2026-11-22 17:01:07.837157','2024-04-15','2026-11-22',3206500,'interest',0,'ACH',NULL,'before the upgrade',1,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,1,0,NULL,0,NULL);
CREATE TABLE `loans` (
  `loan_id` bigint(20) NOT NULL AUTO_INCREMENT,
  `loan_number` varchar(25) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `contact_id` bigint(20) NOT NULL,
  `loan_nickname` varchar(50) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `loan_group_id` bigint(20) NOT NULL,
  `portfolio_id` bigint(20) NOT NULL,
  `status_code_id` bigint(20) NOT NULL,
  `risk_rating_id` bigint(20) DEFAULT NULL,
  `interest_plan_id` bigint(20) DEFAULT NULL,
  `entity_code` varchar(25) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `contractual_jurisdiction` varchar(50) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `loan_officer_user_id` bigint(20) DEFAULT NULL,
  `collection_officer_user_id` bigint(20) DEFAULT NULL,
  `loan_type` varchar(30) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL CHECK (`loan_type` in ('term','revolving','non_revolving')),
  `interest_method` varchar(30) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL CHECK (`interest_method` = 'SI'),
  `interest_year_numerator` varchar(30) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL CHECK (`interest_year_numerator` in ('360','364','365','366','ACT')),
  `interest_year_denominator` varchar(30) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL CHECK (`interest_year_denominator` in ('360','364','365','366','ACT')),
  `starting_interest_rate` bigint(20) NOT NULL,
  `current_interest_rate` bigint(20) NOT NULL,
  `original_note_amount` bigint(20) NOT NULL,
  `origination_date` date NOT NULL,
  `interest_start_date` date NOT NULL,
  `payment_period` varchar(30) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL CHECK (`payment_period` in ('none','weekly','biweekly','semimonthly','monthly','bimonthly','quarterly','semiannual','annual','maturity')),
  `payment_amount` bigint(20) DEFAULT NULL,
  `number_of_payments` int(11) DEFAULT NULL,
  `first_payment_date` date DEFAULT NULL,
  `next_due_date` date DEFAULT NULL,
  `maturity_date` date DEFAULT NULL,
  `payment_day` int(11) DEFAULT NULL,
  `advance_days` int(11) NOT NULL,
  `payment_distribution` varchar(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `excess_handling` varchar(30) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL CHECK (`excess_handling` in ('principal','suspense','reject')),
  `current_principal_balance` bigint(20) NOT NULL,
  `current_interest_balance` bigint(20) NOT NULL,
  `current_late_charge_balance` bigint(20) NOT NULL,
  `current_fees_balance` bigint(20) NOT NULL,
  `current_impound_balance` bigint(20) NOT NULL,
  `current_suspense_balance` bigint(20) NOT NULL,
  `interest_accrued_thru_date` date NOT NULL,
  `interest_accrued_total` bigint(20) NOT NULL,
  `interest_settled_total` bigint(20) NOT NULL,
  `paid_ahead_amount` bigint(20) NOT NULL,
  `accrual_base_date` date NOT NULL,
  `accrual_base_total` bigint(20) NOT NULL,
  `last_payment_date` date DEFAULT NULL,
  `last_payment_amount` bigint(20) DEFAULT NULL,
  `last_activity_date` date DEFAULT NULL,
  `payoff_date` date DEFAULT NULL,
  `closed_date` date DEFAULT NULL,
  `created_date` datetime(6) NOT NULL,
  PRIMARY KEY (`loan_id`),
  UNIQUE KEY `loans_loan_number` (`loan_number`),
  KEY `loan_group_id` (`loan_group_id`),
  KEY `portfolio_id` (`portfolio_id`),
  KEY `status_code_id` (`status_code_id`),
  KEY `risk_rating_id` (`risk_rating_id`),
  KEY `interest_plan_id` (`interest_plan_id`),
  KEY `loan_officer_user_id` (`loan_officer_user_id`),
  KEY `collection_officer_user_id` (`collection_officer_user_id`),
  KEY `loans_contact_id` (`contact_id`),
  CONSTRAINT `loans_ibfk_1` FOREIGN KEY (`contact_id`) REFERENCES `contacts` (`contact_id`),
  CONSTRAINT `loans_ibfk_2` FOREIGN KEY (`loan_group_id`) REFERENCES `loan_groups` (`loan_group_id`),
  CONSTRAINT `loans_ibfk_3` FOREIGN KEY (`portfolio_id`) REFERENCES `portfolios` (`portfolio_id`),
  CONSTRAINT `loans_ibfk_4` FOREIGN KEY (`status_code_id`) REFERENCES `loan_status_codes` (`status_code_id`),
  CONSTRAINT `loans_ibfk_5` FOREIGN KEY (`risk_rating_id`) REFERENCES `risk_ratings` (`risk_rating_id`),
  CONSTRAINT `loans_ibfk_6` FOREIGN KEY (`interest_plan_id`) REFERENCES `interest_plans` (`interest_plan_id`),
  CONSTRAINT `loans_ibfk_7` FOREIGN KEY (`loan_officer_user_id`) REFERENCES `users` (`user_id`),
  CONSTRAINT `loans_ibfk_8` FOREIGN KEY (`collection_officer_user_id`) REFERENCES `users` (`user_id`)
) AUTO_INCREMENT=3;
INSERT INTO `loans` VALUES (1,'L-2001',1,NULL,1,1,1,NULL,NULL,NULL,'NJ',NULL,NULL,'term','SI','360','360',1407000000,1407000000,280000000,'2024-01-15','2024-01-15','monthly',6525300,60,'2024-02-15','2024-05-15','2029-01-15',15,21,'past_due,current_interest_due,accrued_interest,current_principal,late_charges,fees,excess','principal',270158600,0,0,0,0,0,'2024-04-15',97345065475,9734500,0,'2024-04-15',97345065475,'2024-04-15',6525300,'2024-04-15',NULL,NULL,'2026-11-22 17:01:07.697503');
INSERT INTO `loans` VALUES (2,'L-2002',1,NULL,1,1,1,NULL,NULL,NULL,NULL,NULL,NULL,'term','SI','ACT','365',1000000000,1000000000,100000000,'2021-10-25','2021-10-25','none',NULL,NULL,NULL,NULL,NULL,NULL,21,'past_due,current_interest_due,accrued_interest,current_principal,late_charges,fees,excess','principal',92057700,0,0,0,0,0,'2021-11-25',8493150685,849300,0,'2021-11-25',8493150685,'2021-11-25',8791600,'2021-11-25',NULL,NULL,'2026-11-22 17:01:07.697503');
CREATE TABLE `log_in_failures` (
  `subject` varchar(80) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `failures` int(11) NOT NULL,
  `first_failure_date` datetime(6) NOT NULL,
  `last_failure_date` datetime(6) NOT NULL,
  PRIMARY KEY (`subject`),
  KEY `log_in_failures_last_failure_date` (`last_failure_date`)
);
CREATE TABLE `oauth_clients` (
  `client_id` varchar(100) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `kind` varchar(30) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL CHECK (`kind` in ('confidential','public')),
  `secret_hash1` varchar(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `secret_hash2` varchar(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `public_keys` mediumtext CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `redirect_uris` mediumtext CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `post_logout_redirect_uris` mediumtext CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `cors_origins` mediumtext CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `grants` mediumtext CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `user_kinds` mediumtext CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `resource_server_flag` tinyint(1) NOT NULL,
  `created_date` datetime(6) NOT NULL,
  PRIMARY KEY (`client_id`)
);
INSERT INTO `oauth_clients` VALUES ('api-server','confidential','09b4655a223fe77ea93008eac7fdeed487485d284caf72686ad9e362c3a9cd6e',NULL,NULL,'','','','','',1,'2026-11-22 17:01:05.896722');
INSERT INTO `oauth_clients` VALUES ('browser','public',NULL,NULL,NULL,'http://127.0.0.1:8765/callback https://localhost:33219/docs/oauth-receiver.html','http://127.0.0.1:8765/callback https://localhost:33219/docs/oauth-receiver.html','https://localhost:33219','authorization_code refresh_token','core web',0,'2026-11-22 17:01:05.896722');
INSERT INTO `oauth_clients` VALUES ('integration','confidential','3aec3f04578e601aa82ac726bb519b545fc25331aa4c79e4674e0dd0640fcc35',NULL,NULL,'','','','password refresh_token','core web',0,'2026-11-22 17:01:05.896722');
CREATE TABLE `payment_allocations` (
  `row_id` bigint(20) NOT NULL AUTO_INCREMENT,
  `transaction_id` bigint(20) NOT NULL,
  `payment_due_id` bigint(20) NOT NULL,
  `amount` bigint(20) NOT NULL,
  PRIMARY KEY (`row_id`),
  KEY `payment_allocations_transaction_id` (`transaction_id`),
  KEY `payment_allocations_payment_due_id` (`payment_due_id`),
  CONSTRAINT `payment_allocations_ibfk_1` FOREIGN KEY (`transaction_id`) REFERENCES `loan_transactions` (`transaction_id`),
  CONSTRAINT `payment_allocations_ibfk_2` FOREIGN KEY (`payment_due_id`) REFERENCES `payments_due` (`row_id`)
) AUTO_INCREMENT=7;
INSERT INTO `payment_allocations` VALUES (1,5,1,3283000);
INSERT INTO `payment_allocations` VALUES (2,4,1,3242300);
INSERT INTO `payment_allocations` VALUES (3,8,2,3245000);
INSERT INTO `payment_allocations` VALUES (4,7,2,3280300);
INSERT INTO `payment_allocations` VALUES (5,14,3,3206500);
INSERT INTO `payment_allocations` VALUES (6,13,3,3318800);
CREATE TABLE `payment_gateway_tokens` (
  `payment_gateway_token_id` bigint(20) NOT NULL AUTO_INCREMENT,
  `brand_type` varchar(30) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL CHECK (`brand_type` in ('visa','mastercard','amex','discover','other')),
  `entry_type` varchar(30) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL CHECK (`entry_type` in ('wallet','one_time')),
  `forget_flag` tinyint(1) NOT NULL,
  `contact_id` bigint(20) NOT NULL,
  `loan_id` bigint(20) NOT NULL,
  `last_four` varchar(4) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `expiry_month` int(11) NOT NULL,
  `expiry_year` int(11) NOT NULL,
  `cardholder_name` varchar(80) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `gateway` varchar(30) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL CHECK (`gateway` in ('sandbox','stripe')),
  `created_date` datetime(6) NOT NULL,
  `last_used_date` datetime(6) DEFAULT NULL,
  `used_count` int(11) NOT NULL,
  PRIMARY KEY (`payment_gateway_token_id`),
  KEY `payment_gateway_tokens_contact_id_payment_gateway_token_id` (`contact_id`,`payment_gateway_token_id`),
  KEY `payment_gateway_tokens_loan_id` (`loan_id`),
  CONSTRAINT `payment_gateway_tokens_ibfk_1` FOREIGN KEY (`contact_id`) REFERENCES `contacts` (`contact_id`),
  CONSTRAINT `payment_gateway_tokens_ibfk_2` FOREIGN KEY (`loan_id`) REFERENCES `loans` (`loan_id`)
);
CREATE TABLE `payment_methods` (
  `payment_method_id` bigint(20) NOT NULL AUTO_INCREMENT,
  `payment_method_code` varchar(25) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `description` varchar(80) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `active_flag` tinyint(1) NOT NULL,
  `cash_flag` tinyint(1) NOT NULL,
  `check_flag` tinyint(1) NOT NULL,
  `default_flag` tinyint(1) NOT NULL,
  PRIMARY KEY (`payment_method_id`),
  UNIQUE KEY `payment_methods_payment_method_code` (`payment_method_code`)
) AUTO_INCREMENT=5;
INSERT INTO `payment_methods` VALUES (1,'ACH','Bank transfer',1,0,0,1);
INSERT INTO `payment_methods` VALUES (2,'CASH','Cash',1,1,0,0);
INSERT INTO `payment_methods` VALUES (3,'CHECK','Check',1,0,1,0);
INSERT INTO `payment_methods` VALUES (4,'CARD','Card',1,0,0,0);
CREATE TABLE `payments_due` (
  `row_id` bigint(20) NOT NULL AUTO_INCREMENT,
  `loan_id` bigint(20) NOT NULL,
  `payment_number` int(11) NOT NULL,
  `due_date` date NOT NULL,
  `interest_due` bigint(20) NOT NULL,
  `principal_due` bigint(20) NOT NULL,
  `interest_paid` bigint(20) NOT NULL,
  `principal_paid` bigint(20) NOT NULL,
  PRIMARY KEY (`row_id`),
  UNIQUE KEY `payments_due_loan_id_due_date` (`loan_id`,`due_date`),
  CONSTRAINT `payments_due_ibfk_1` FOREIGN KEY (`loan_id`) REFERENCES `loans` (`loan_id`)
) AUTO_INCREMENT=4;
INSERT INTO `payments_due` VALUES (1,1,1,'2024-02-15',3283000,3242300,3283000,3242300);
INSERT INTO `payments_due` VALUES (2,1,2,'2024-03-15',3245000,3280300,3245000,3280300);
INSERT INTO `payments_due` VALUES (3,1,3,'2024-04-15',3206500,3318800,3206500,3318800);
CREATE TABLE `portfolios` (
  `portfolio_id` bigint(20) NOT NULL AUTO_INCREMENT,
  `code` varchar(25) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `description` varchar(80) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `active_flag` tinyint(1) NOT NULL,
  `number_mask` varchar(25) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  PRIMARY KEY (`portfolio_id`),
  UNIQUE KEY `portfolios_code` (`code`)
) AUTO_INCREMENT=2;
INSERT INTO `portfolios` VALUES (1,'MAIN','Main portfolio',1,NULL);
CREATE TABLE `privilege_grants` (
  `grant_id` bigint(20) NOT NULL AUTO_INCREMENT,
  `privilege_id` bigint(20) NOT NULL,
  `user_id` bigint(20) DEFAULT NULL,
  `group_id` bigint(20) DEFAULT NULL,
  PRIMARY KEY (`grant_id`),
  KEY `privilege_id` (`privilege_id`),
  KEY `privilege_grants_user_id` (`user_id`),
  KEY `privilege_grants_group_id` (`group_id`),
  CONSTRAINT `privilege_grants_ibfk_1` FOREIGN KEY (`privilege_id`) REFERENCES `privileges` (`privilege_id`),
  CONSTRAINT `privilege_grants_ibfk_2` FOREIGN KEY (`user_id`) REFERENCES `users` (`user_id`),
  CONSTRAINT `privilege_grants_ibfk_3` FOREIGN KEY (`group_id`) REFERENCES `user_groups` (`group_id`)
) AUTO_INCREMENT=21;
INSERT INTO `privilege_grants` VALUES (1,40,2,NULL);
INSERT INTO `privilege_grants` VALUES (2,37,2,NULL);
INSERT INTO `privilege_grants` VALUES (3,53,2,NULL);
INSERT INTO `privilege_grants` VALUES (4,20,2,NULL);
INSERT INTO `privilege_grants` VALUES (5,19,2,NULL);
INSERT INTO `privilege_grants` VALUES (6,13,2,NULL);
INSERT INTO `privilege_grants` VALUES (7,11,2,NULL);
INSERT INTO `privilege_grants` VALUES (8,12,2,NULL);
INSERT INTO `privilege_grants` VALUES (9,62,2,NULL);
INSERT INTO `privilege_grants` VALUES (10,60,2,NULL);
INSERT INTO `privilege_grants` VALUES (11,61,2,NULL);
INSERT INTO `privilege_grants` VALUES (12,40,3,NULL);
INSERT INTO `privilege_grants` VALUES (13,42,3,NULL);
INSERT INTO `privilege_grants` VALUES (14,53,3,NULL);
INSERT INTO `privilege_grants` VALUES (15,32,3,NULL);
INSERT INTO `privilege_grants` VALUES (16,21,3,NULL);
INSERT INTO `privilege_grants` VALUES (17,3,3,NULL);
INSERT INTO `privilege_grants` VALUES (18,1,3,NULL);
INSERT INTO `privilege_grants` VALUES (19,40,4,NULL);
INSERT INTO `privilege_grants` VALUES (20,42,4,NULL);
CREATE TABLE `privileges` (
  `privilege_id` bigint(20) NOT NULL AUTO_INCREMENT,
  `path` varchar(100) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `verb` varchar(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  PRIMARY KEY (`privilege_id`),
  UNIQUE KEY `privileges_path_verb` (`path`,`verb`)
) AUTO_INCREMENT=79;
INSERT INTO `privileges` VALUES (1,'Cash Drawer','Add');
INSERT INTO `privileges` VALUES (2,'Cash Drawer','Allow');
INSERT INTO `privileges` VALUES (3,'Cash Drawer','View');
INSERT INTO `privileges` VALUES (4,'Cash Drawer > Drawers','View');
INSERT INTO `privileges` VALUES (5,'Cash Drawer > Funding','Allow');
INSERT INTO `privileges` VALUES (6,'Cash Drawer > Reconciliations','Add');
INSERT INTO `privileges` VALUES (7,'Cash Drawer > Reconciliations','View');
INSERT INTO `privileges` VALUES (8,'Cash Drawer > Supervise','Allow');
INSERT INTO `privileges` VALUES (9,'Cash Drawer > Transactions','Add');
INSERT INTO `privileges` VALUES (10,'Cash Drawer > Transactions','View');
INSERT INTO `privileges` VALUES (11,'Collateral','Change');
INSERT INTO `privileges` VALUES (12,'Collateral','Delete');
INSERT INTO `privileges` VALUES (13,'Collateral','View');
INSERT INTO `privileges` VALUES (14,'Collateral > Comments','Change');
INSERT INTO `privileges` VALUES (15,'Collateral > Comments','Delete');
INSERT INTO `privileges` VALUES (16,'Collateral > Comments','View');
INSERT INTO `privileges` VALUES (17,'Collateral > Records','View');
INSERT INTO `privileges` VALUES (18,'Contact','Allow');
INSERT INTO `privileges` VALUES (19,'Contact','Change');
INSERT INTO `privileges` VALUES (20,'Contact','View');
INSERT INTO `privileges` VALUES (21,'Contact > Access to Other Officers','Allow');
INSERT INTO `privileges` VALUES (22,'Contact > Comments','Change');
INSERT INTO `privileges` VALUES (23,'Contact > Comments','View');
INSERT INTO `privileges` VALUES (24,'Contact > Credit Profiles','View');
INSERT INTO `privileges` VALUES (25,'Contact > Demographics','Change');
INSERT INTO `privileges` VALUES (26,'Contact > Demographics','View');
INSERT INTO `privileges` VALUES (27,'Contact > Detail','Change');
INSERT INTO `privileges` VALUES (28,'Contact > Detail','View');
INSERT INTO `privileges` VALUES (29,'Contact > Field History','View');
INSERT INTO `privileges` VALUES (30,'Contact > Financials','Change');
INSERT INTO `privileges` VALUES (31,'Contact > Financials','View');
INSERT INTO `privileges` VALUES (32,'Contact > Records','View');
INSERT INTO `privileges` VALUES (33,'Contact > Tax ID','View');
INSERT INTO `privileges` VALUES (34,'Loan','Add');
INSERT INTO `privileges` VALUES (35,'Loan','Allow');
INSERT INTO `privileges` VALUES (36,'Loan','Backdate');
INSERT INTO `privileges` VALUES (37,'Loan','Change');
INSERT INTO `privileges` VALUES (38,'Loan','Payoff');
INSERT INTO `privileges` VALUES (39,'Loan','Split');
INSERT INTO `privileges` VALUES (40,'Loan','View');
INSERT INTO `privileges` VALUES (41,'Loan','View Account');
INSERT INTO `privileges` VALUES (42,'Loan > Access to Other Officers','Allow');
INSERT INTO `privileges` VALUES (43,'Loan > Automated Payments','View');
INSERT INTO `privileges` VALUES (44,'Loan > Automated Payments','View Account');
INSERT INTO `privileges` VALUES (45,'Loan > Comments','Change');
INSERT INTO `privileges` VALUES (46,'Loan > Comments','View');
INSERT INTO `privileges` VALUES (47,'Loan > Credit Lines','View');
INSERT INTO `privileges` VALUES (48,'Loan > Detail 1','Change');
INSERT INTO `privileges` VALUES (49,'Loan > Detail 1','View');
INSERT INTO `privileges` VALUES (50,'Loan > Detail 2','Change');
INSERT INTO `privileges` VALUES (51,'Loan > Detail 2','View');
INSERT INTO `privileges` VALUES (52,'Loan > Field History','View');
INSERT INTO `privileges` VALUES (53,'Loan > Payments','Add');
INSERT INTO `privileges` VALUES (54,'Loan > Payments','Backdate');
INSERT INTO `privileges` VALUES (55,'Loan > Payments','Payoff');
INSERT INTO `privileges` VALUES (56,'Loan > Payments','Split');
INSERT INTO `privileges` VALUES (57,'Loan > Records','View');
INSERT INTO `privileges` VALUES (58,'Loan > Recurring Transactions','View');
INSERT INTO `privileges` VALUES (59,'Loan > Transactions','View');
INSERT INTO `privileges` VALUES (60,'Payment Gateway','Add');
INSERT INTO `privileges` VALUES (61,'Payment Gateway','Forget');
INSERT INTO `privileges` VALUES (62,'Payment Gateway','View');
INSERT INTO `privileges` VALUES (63,'Payment Gateway','Waive');
INSERT INTO `privileges` VALUES (64,'Payment Gateway > Cards','Add');
INSERT INTO `privileges` VALUES (65,'Payment Gateway > Cards','Forget');
INSERT INTO `privileges` VALUES (66,'Payment Gateway > Cards','View');
INSERT INTO `privileges` VALUES (67,'Payment Gateway > Convenience Fee','View');
INSERT INTO `privileges` VALUES (68,'Payment Gateway > Convenience Fee','Waive');
INSERT INTO `privileges` VALUES (69,'Payment Gateway > Payments','Add');
INSERT INTO `privileges` VALUES (70,'Processing','View');
INSERT INTO `privileges` VALUES (71,'Processing > ACH Batch','View');
INSERT INTO `privileges` VALUES (72,'Processing > Accrual','View');
INSERT INTO `privileges` VALUES (73,'Security','View');
INSERT INTO `privileges` VALUES (74,'Security > Privileges','View');
INSERT INTO `privileges` VALUES (75,'Security > Users','View');
INSERT INTO `privileges` VALUES (76,'Setup','View');
INSERT INTO `privileges` VALUES (77,'Setup > Contact','View');
INSERT INTO `privileges` VALUES (78,'Setup > Loan','View');
CREATE TABLE `recurring_transactions` (
  `row_id` bigint(20) NOT NULL AUTO_INCREMENT,
  `loan_id` bigint(20) NOT NULL,
  `description` varchar(50) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `active_flag` tinyint(1) NOT NULL,
  `event_type` varchar(30) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL CHECK (`event_type` in ('scheduled','periodic','billing','daily_accrual','on_post_payment','on_pre_payment')),
  `event_start_date` date NOT NULL,
  `event_expire_date` date DEFAULT NULL,
  `next_event_date` date DEFAULT NULL,
  `start_date_day_value` int(11) NOT NULL,
  `event_period` varchar(30) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL CHECK (`event_period` in ('none','weekly','biweekly','semimonthly','monthly','bimonthly','quarterly','semiannual','annual','maturity')),
  `event_number_of_periods` int(11) NOT NULL,
  `event_max_repeat` int(11) DEFAULT NULL,
  `event_count` int(11) NOT NULL,
  `transaction_code` int(11) NOT NULL,
  `amount_type` varchar(30) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL CHECK (`amount_type` in ('fixed','annual_percent_of_principal')),
  `transaction_amount` bigint(20) DEFAULT NULL,
  `annual_percentage` bigint(20) DEFAULT NULL,
  `numerator` varchar(30) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL CHECK (`numerator` in ('360','364','365','366','ACT')),
  `denominator` varchar(30) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL CHECK (`denominator` in ('360','364','365','366','ACT')),
  PRIMARY KEY (`row_id`),
  KEY `recurring_transactions_loan_id_row_id` (`loan_id`,`row_id`),
  CONSTRAINT `recurring_transactions_ibfk_1` FOREIGN KEY (`loan_id`) REFERENCES `loans` (`loan_id`)
);
CREATE TABLE `relationship_codes` (
  `relationship_code` varchar(25) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `description` varchar(80) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `active_flag` tinyint(1) NOT NULL,
  `applies_to` varchar(30) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL CHECK (`applies_to` in ('contact','loan','address')),
  `auto_prev_addr` tinyint(1) NOT NULL,
  PRIMARY KEY (`relationship_code`)
);
INSERT INTO `relationship_codes` VALUES ('COBORROWER','Co-borrower',1,'loan',0);
INSERT INTO `relationship_codes` VALUES ('PREVIOUS','Previous address',1,'address',1);
CREATE TABLE `risk_ratings` (
  `risk_rating_id` bigint(20) NOT NULL AUTO_INCREMENT,
  `code` varchar(25) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `description` varchar(80) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `active_flag` tinyint(1) NOT NULL,
  `rank` int(11) NOT NULL,
  PRIMARY KEY (`risk_rating_id`),
  UNIQUE KEY `risk_ratings_code` (`code`)
) AUTO_INCREMENT=4;
INSERT INTO `risk_ratings` VALUES (1,'A','Low risk',1,1);
INSERT INTO `risk_ratings` VALUES (2,'B','Medium risk',1,2);
INSERT INTO `risk_ratings` VALUES (3,'C','High risk',1,3);
CREATE TABLE `seaql_migrations` (
  `version` varchar(255) NOT NULL,
  `applied_at` bigint(20) NOT NULL,
  PRIMARY KEY (`version`)
);
INSERT INTO `seaql_migrations` VALUES ('m20261121_core_schema',1795366865);
INSERT INTO `seaql_migrations` VALUES ('m20261121_seed_rows',1795366865);
INSERT INTO `seaql_migrations` VALUES ('m20261121_sessions',1795366865);
INSERT INTO `seaql_migrations` VALUES ('m20261122_records',1795366865);
INSERT INTO `seaql_migrations` VALUES ('m20261122_services',1795366865);
INSERT INTO `seaql_migrations` VALUES ('m20261122_snapshots',1795366865);
INSERT INTO `seaql_migrations` VALUES ('m20261122_updated_drawers',1795366865);
INSERT INTO `seaql_migrations` VALUES ('m20261123_document_store',1795366865);
INSERT INTO `seaql_migrations` VALUES ('m20261123_history_of_comments',1795366865);
INSERT INTO `seaql_migrations` VALUES ('m20261124_import_runs',1795366865);
CREATE TABLE `settings` (
  `name` varchar(50) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `value` varchar(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  PRIMARY KEY (`name`)
);
INSERT INTO `settings` VALUES ('business_time_zone','UTC');
INSERT INTO `settings` VALUES ('document_store_id','dd38066ad8f035b91e984216409e6ad4 90eb5979318a71283ca5202cc5197fe4');
INSERT INTO `settings` VALUES ('web_inactivity_timeout','20');
CREATE TABLE `signing_keys` (
  `key_id` varchar(43) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `generation` int(11) NOT NULL,
  `algorithm` varchar(10) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `public_key` mediumtext CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `sealed_private_key` mediumtext CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `created_date` datetime(6) NOT NULL,
  `signs_from_date` datetime(6) NOT NULL,
  `removed_date` datetime(6) DEFAULT NULL,
  PRIMARY KEY (`key_id`),
  UNIQUE KEY `signing_keys_generation` (`generation`)
);
INSERT INTO `signing_keys` VALUES ('R-FaZB_AlJDeuUkEPRmvK7tfcbkVAST1kib7c_BwyN0',1,'ES256','{\"kty\":\"EC\",\"crv\":\"P-256\",\"x\":\"MMgO6aYdXnlaQpWoXddr_YdxTMnoSDME3BJ-oJ9EgqQ\",\"y\":\"8u_gTgppg5h3d2XLRpZ3sgv8Cnpk_kjan1uGOv3s1Pg\",\"use\":\"sig\",\"alg\":\"ES256\",\"kid\":\"R-FaZB_AlJDeuUkEPRmvK7tfcbkVAST1kib7c_BwyN0\"}','k1:xlz477wb4I9rSBITQWaClfqLTPb7MV+9cuVm39DlyWiGe98fWZFVQet8cdj+lRc3rX7m+isT7DT7b1bL2uGtnY9fEZx7P1ufUzwhRyeUlgC30/YK6KnQOuOarFFgkKcu0Rs7L0yG6k3Q8nwRa/pFpu4yWqyEuqrllAfGjN1EWbIbmihIgWA7LtcayVC4FjVoBSzfgH4gKhkb6zhcjHwNUuthKWoEvg==','2026-11-22 17:01:07.347215','2026-11-22 17:01:07.347215',NULL);
INSERT INTO `signing_keys` VALUES ('UBWtPAG5Q2T5S3Sge7_hh4yPYZvHMSHbrjJpL7AeJN4',2,'ES256','{\"kty\":\"EC\",\"crv\":\"P-256\",\"x\":\"IkohfXR09oeGvv4cb1agFESGE3SKfvUTBXm564XRzQI\",\"y\":\"qPccKnleAkOIJodMO6bM1XWpJkHw90k6Lc0IPUMu_bM\",\"use\":\"sig\",\"alg\":\"ES256\",\"kid\":\"UBWtPAG5Q2T5S3Sge7_hh4yPYZvHMSHbrjJpL7AeJN4\"}','k1:BhuzL80E70B2jOHI3sbY8f3RiSmgDQr3/15luPOwsoXqyiJUkl5yDd0oBnhZuxXi0dZdeD4q0khWUZIA1mEaSt2Q0jOT17gdfEJhkwhYF6qxPIiuasmAToU1OPmwfYv74S8Kj2+EuRHPtemR8AE//4XbEtGFtANAvMPba7uB7gqwUfaxps5d8Vfm4lzrZitX1hllSHfImdhU4hJGKnxsAncZX9lk7Q==','2026-11-22 17:01:07.347862','2027-02-20 17:01:07.347862',NULL);
CREATE TABLE `transaction_codes` (
  `transaction_code` int(11) NOT NULL,
  `description` varchar(50) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `balance_name` varchar(30) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL CHECK (`balance_name` in ('principal','interest','late_charge','fees','impound','suspense')),
  `sign` int(11) NOT NULL,
  `reversal_code` int(11) DEFAULT NULL,
  `active_flag` tinyint(1) NOT NULL,
  PRIMARY KEY (`transaction_code`)
);
INSERT INTO `transaction_codes` VALUES (100,'Advance','principal',1,101,1);
INSERT INTO `transaction_codes` VALUES (101,'Advance reversed','principal',-1,NULL,1);
INSERT INTO `transaction_codes` VALUES (110,'Draw on credit line','principal',1,111,1);
INSERT INTO `transaction_codes` VALUES (111,'Draw on credit line reversed','principal',-1,NULL,1);
INSERT INTO `transaction_codes` VALUES (120,'Payment total',NULL,0,121,1);
INSERT INTO `transaction_codes` VALUES (121,'Payment total reversed',NULL,0,NULL,1);
INSERT INTO `transaction_codes` VALUES (122,'Principal payment','principal',-1,123,1);
INSERT INTO `transaction_codes` VALUES (123,'Principal payment reversed','principal',1,NULL,1);
INSERT INTO `transaction_codes` VALUES (124,'Interest payment','interest',-1,125,1);
INSERT INTO `transaction_codes` VALUES (125,'Interest payment reversed','interest',1,NULL,1);
INSERT INTO `transaction_codes` VALUES (126,'Late charge payment','late_charge',-1,127,1);
INSERT INTO `transaction_codes` VALUES (127,'Late charge payment reversed','late_charge',1,NULL,1);
INSERT INTO `transaction_codes` VALUES (128,'Fee payment','fees',-1,129,1);
INSERT INTO `transaction_codes` VALUES (129,'Fee payment reversed','fees',1,NULL,1);
INSERT INTO `transaction_codes` VALUES (130,'Impound payment','impound',1,131,1);
INSERT INTO `transaction_codes` VALUES (131,'Impound payment reversed','impound',-1,NULL,1);
INSERT INTO `transaction_codes` VALUES (132,'Suspense payment','suspense',1,133,1);
INSERT INTO `transaction_codes` VALUES (133,'Suspense payment reversed','suspense',-1,NULL,1);
INSERT INTO `transaction_codes` VALUES (134,'Suspense applied','suspense',-1,135,1);
INSERT INTO `transaction_codes` VALUES (135,'Suspense applied reversed','suspense',1,NULL,1);
INSERT INTO `transaction_codes` VALUES (140,'Late charge assessed','late_charge',1,141,1);
INSERT INTO `transaction_codes` VALUES (141,'Late charge assessed reversed','late_charge',-1,NULL,1);
INSERT INTO `transaction_codes` VALUES (142,'Fee assessed','fees',1,143,1);
INSERT INTO `transaction_codes` VALUES (143,'Fee assessed reversed','fees',-1,NULL,1);
INSERT INTO `transaction_codes` VALUES (144,'Convenience fee',NULL,0,145,1);
INSERT INTO `transaction_codes` VALUES (145,'Convenience fee reversed',NULL,0,NULL,1);
INSERT INTO `transaction_codes` VALUES (150,'Interest reduction','interest',-1,151,1);
INSERT INTO `transaction_codes` VALUES (151,'Interest reduction reversed','interest',1,NULL,1);
INSERT INTO `transaction_codes` VALUES (152,'Principal write-off','principal',-1,153,1);
INSERT INTO `transaction_codes` VALUES (153,'Principal write-off reversed','principal',1,NULL,1);
INSERT INTO `transaction_codes` VALUES (154,'Impound disbursement','impound',-1,155,1);
INSERT INTO `transaction_codes` VALUES (155,'Impound disbursement reversed','impound',1,NULL,1);
INSERT INTO `transaction_codes` VALUES (156,'Late charge waived','late_charge',-1,157,1);
INSERT INTO `transaction_codes` VALUES (157,'Late charge waived reversed','late_charge',1,NULL,1);
INSERT INTO `transaction_codes` VALUES (158,'Fee waived','fees',-1,159,1);
INSERT INTO `transaction_codes` VALUES (159,'Fee waived reversed','fees',1,NULL,1);
CREATE TABLE `trustees` (
  `trustee_id` bigint(20) NOT NULL AUTO_INCREMENT,
  `object_type` varchar(30) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL CHECK (`object_type` in ('comment_category','loan_group','portfolio','contact_type','transaction_code')),
  `object_id` bigint(20) NOT NULL,
  `user_id` bigint(20) DEFAULT NULL,
  `group_id` bigint(20) DEFAULT NULL,
  PRIMARY KEY (`trustee_id`),
  KEY `user_id` (`user_id`),
  KEY `group_id` (`group_id`),
  KEY `trustees_object_type_object_id` (`object_type`,`object_id`),
  CONSTRAINT `trustees_ibfk_1` FOREIGN KEY (`user_id`) REFERENCES `users` (`user_id`),
  CONSTRAINT `trustees_ibfk_2` FOREIGN KEY (`group_id`) REFERENCES `user_groups` (`group_id`)
);
CREATE TABLE `user_credentials` (
  `user_id` bigint(20) NOT NULL,
  `password_hash` varchar(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  PRIMARY KEY (`user_id`),
  CONSTRAINT `user_credentials_ibfk_1` FOREIGN KEY (`user_id`) REFERENCES `users` (`user_id`)
);
INSERT INTO `user_credentials` VALUES (1,'$argon2id$v=19$m=19456,t=2,p=1$24C3Qdt1b9FRKAd11HuDFQ$Eq7vEpnWetQIrPDQlcwemWYbWEY+5JryOgiwqhxiU8I');
INSERT INTO `user_credentials` VALUES (2,'$argon2id$v=19$m=19456,t=2,p=1$PRH2Kp56/ksoHTCeu7aorA$ZkbC8JNk+sMXXOa16pBOPWBcqebRmmW53mpMPd12ERs');
INSERT INTO `user_credentials` VALUES (3,'$argon2id$v=19$m=19456,t=2,p=1$KhS/oAj/DOap5xELxVGC3Q$6m33RlfwieTVX+PNxtHbMlOZIx896N9bqvLOY9rKlFY');
INSERT INTO `user_credentials` VALUES (4,'$argon2id$v=19$m=19456,t=2,p=1$dhBf/L68xYnzUoXqtXgAbw$ctOnQuddbH2k1VJ5MroGHW5TJl8DgS+IZSK21pjW2nw');
CREATE TABLE `user_defined_fields` (
  `field_id` bigint(20) NOT NULL AUTO_INCREMENT,
  `form` varchar(30) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL CHECK (`form` in ('loan_detail1','loan_detail2','contact_detail','contact_demographics','contact_financials','transaction_entry','batch_transaction','participant1_detail','participant2_detail')),
  `field_name` varchar(10) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `label` varchar(50) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `data_type` varchar(30) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL CHECK (`data_type` in ('text','number','money','date','flag','pick_list','document')),
  `size` int(11) DEFAULT NULL,
  `default_value` varchar(100) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `pick_list` longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL CHECK (json_valid(`pick_list`)),
  `required_flag` tinyint(1) NOT NULL,
  `hidden_flag` tinyint(1) NOT NULL,
  `read_only_flag` tinyint(1) NOT NULL,
  `web_visible_flag` tinyint(1) NOT NULL,
  `sequence` int(11) NOT NULL,
  PRIMARY KEY (`field_id`),
  UNIQUE KEY `user_defined_fields_form_field_name` (`form`,`field_name`)
) AUTO_INCREMENT=36;
INSERT INTO `user_defined_fields` VALUES (1,'loan_detail1','userdef01','Referral source','text',50,NULL,'[]',0,0,0,0,1);
INSERT INTO `user_defined_fields` VALUES (2,'loan_detail1','userdef02','Loan purpose','pick_list',NULL,'Vehicle','[\"Vehicle\",\"Home improvement\",\"Debt consolidation\"]',0,0,0,0,2);
INSERT INTO `user_defined_fields` VALUES (3,'loan_detail1','userdef03','Appraised value','money',NULL,NULL,'[]',0,0,0,0,3);
INSERT INTO `user_defined_fields` VALUES (4,'loan_detail1','userdef04','Last review','date',NULL,NULL,'[]',0,0,0,0,4);
INSERT INTO `user_defined_fields` VALUES (5,'loan_detail1','userdef05','Loan agreement','document',NULL,NULL,'[]',0,0,0,0,5);
INSERT INTO `user_defined_fields` VALUES (6,'loan_detail2','userdef01','Escrow waived','flag',NULL,NULL,'[]',0,0,0,0,1);
INSERT INTO `user_defined_fields` VALUES (7,'loan_detail2','userdef02','Branch number','number',NULL,NULL,'[]',0,0,0,0,2);
INSERT INTO `user_defined_fields` VALUES (8,'loan_detail2','userdef03','Insurance agent','text',50,NULL,'[]',0,0,0,0,3);
INSERT INTO `user_defined_fields` VALUES (9,'loan_detail2','userdef04','Closing papers','document',NULL,NULL,'[]',0,0,0,0,4);
INSERT INTO `user_defined_fields` VALUES (10,'contact_detail','userdef01','Preferred name','text',50,NULL,'[]',0,0,0,1,1);
INSERT INTO `user_defined_fields` VALUES (11,'contact_detail','userdef02','Preferred language','pick_list',NULL,'English','[\"English\",\"Spanish\",\"French\"]',0,0,0,1,2);
INSERT INTO `user_defined_fields` VALUES (12,'contact_detail','userdef03','Customer since','date',NULL,NULL,'[]',0,0,1,1,3);
INSERT INTO `user_defined_fields` VALUES (13,'contact_detail','userdef04','Risk remark','text',50,NULL,'[]',0,1,0,0,4);
INSERT INTO `user_defined_fields` VALUES (14,'contact_detail','userdef05','Identity papers','document',NULL,NULL,'[]',0,0,0,0,5);
INSERT INTO `user_defined_fields` VALUES (15,'contact_detail','userdef06','Branch number','number',NULL,NULL,'[]',0,0,0,0,6);
INSERT INTO `user_defined_fields` VALUES (16,'contact_demographics','userdef01','Occupation','text',50,NULL,'[]',0,0,0,0,1);
INSERT INTO `user_defined_fields` VALUES (17,'contact_demographics','userdef02','Marital status','pick_list',NULL,'Single','[\"Single\",\"Married\",\"Divorced\",\"Widowed\"]',0,0,0,0,2);
INSERT INTO `user_defined_fields` VALUES (18,'contact_demographics','userdef03','Dependents','number',NULL,NULL,'[]',0,0,0,0,3);
INSERT INTO `user_defined_fields` VALUES (19,'contact_demographics','userdef04','Proof of residence','document',NULL,NULL,'[]',0,0,0,0,4);
INSERT INTO `user_defined_fields` VALUES (20,'contact_financials','userdef01','Monthly income','money',NULL,NULL,'[]',0,0,0,0,1);
INSERT INTO `user_defined_fields` VALUES (21,'contact_financials','userdef02','Monthly expenses','money',NULL,NULL,'[]',0,0,0,0,2);
INSERT INTO `user_defined_fields` VALUES (22,'contact_financials','userdef03','Owns home','flag',NULL,NULL,'[]',0,0,0,0,3);
INSERT INTO `user_defined_fields` VALUES (23,'contact_financials','userdef04','Income statements','document',NULL,NULL,'[]',0,0,0,0,4);
INSERT INTO `user_defined_fields` VALUES (24,'transaction_entry','userdef01','Branch','text',50,NULL,'[]',0,0,0,0,1);
INSERT INTO `user_defined_fields` VALUES (25,'transaction_entry','userdef02','Received by','pick_list',NULL,'Mail','[\"Mail\",\"Counter\",\"Phone\"]',0,0,0,0,2);
INSERT INTO `user_defined_fields` VALUES (26,'transaction_entry','userdef03','Remark','text',50,NULL,'[]',0,0,0,0,3);
INSERT INTO `user_defined_fields` VALUES (27,'batch_transaction','userdef01','Batch label','text',50,NULL,'[]',0,0,0,0,1);
INSERT INTO `user_defined_fields` VALUES (28,'batch_transaction','userdef02','Deposit date','date',NULL,NULL,'[]',0,0,0,0,2);
INSERT INTO `user_defined_fields` VALUES (29,'batch_transaction','userdef03','Deposit account','pick_list',NULL,'Operating','[\"Operating\",\"Trust\"]',0,0,0,0,3);
INSERT INTO `user_defined_fields` VALUES (30,'participant1_detail','userdef01','Participant','text',50,NULL,'[]',1,0,0,0,1);
INSERT INTO `user_defined_fields` VALUES (31,'participant1_detail','userdef02','Certificate number','text',50,NULL,'[]',0,0,0,0,2);
INSERT INTO `user_defined_fields` VALUES (32,'participant1_detail','userdef03','Certificate date','date',NULL,NULL,'[]',0,0,0,0,3);
INSERT INTO `user_defined_fields` VALUES (33,'participant2_detail','userdef01','Wire instructions','text',50,NULL,'[]',0,0,0,0,1);
INSERT INTO `user_defined_fields` VALUES (34,'participant2_detail','userdef02','Servicing fee','money',NULL,NULL,'[]',0,0,0,0,2);
INSERT INTO `user_defined_fields` VALUES (35,'participant2_detail','userdef03','Recourse','flag',NULL,NULL,'[]',0,0,0,0,3);
CREATE TABLE `user_defined_values` (
  `row_id` bigint(20) NOT NULL AUTO_INCREMENT,
  `field_id` bigint(20) NOT NULL,
  `record_id` bigint(20) NOT NULL,
  `value` varchar(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  PRIMARY KEY (`row_id`),
  UNIQUE KEY `user_defined_values_field_id_record_id` (`field_id`,`record_id`),
  KEY `user_defined_values_record_id` (`record_id`),
  CONSTRAINT `user_defined_values_ibfk_1` FOREIGN KEY (`field_id`) REFERENCES `user_defined_fields` (`field_id`)
) AUTO_INCREMENT=2;
INSERT INTO `user_defined_values` VALUES (1,10,1,'Config engineer');
CREATE TABLE `user_groups` (
  `group_id` bigint(20) NOT NULL AUTO_INCREMENT,
  `name` varchar(50) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `description` varchar(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  PRIMARY KEY (`group_id`),
  UNIQUE KEY `user_groups_name` (`name`)
);
CREATE TABLE `users` (
  `user_id` bigint(20) NOT NULL AUTO_INCREMENT,
  `user_name` varchar(50) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `full_name` varchar(80) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `email` varchar(100) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT NULL,
  `status` varchar(30) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL CHECK (`status` in ('active','disabled')),
  `admin_flag` tinyint(1) NOT NULL,
  `dba_flag` tinyint(1) NOT NULL,
  `loan_officer_flag` tinyint(1) NOT NULL,
  `collection_officer_flag` tinyint(1) NOT NULL,
  `contact_officer_flag` tinyint(1) NOT NULL,
  `created_date` datetime(6) NOT NULL,
  PRIMARY KEY (`user_id`),
  UNIQUE KEY `users_user_name` (`user_name`)
) AUTO_INCREMENT=5;
INSERT INTO `users` VALUES (1,'admin','Administrator',NULL,'active',1,0,0,0,0,'2026-11-22 17:01:05.896722');
INSERT INTO `users` VALUES (2,'officer','Loan Officer',NULL,'active',0,0,1,1,1,'2026-11-22 17:01:05.896722');
INSERT INTO `users` VALUES (3,'teller','Teller',NULL,'active',0,0,0,0,0,'2026-11-22 17:01:05.896722');
INSERT INTO `users` VALUES (4,'viewer','Viewer',NULL,'active',0,0,0,0,0,'2026-11-22 17:01:05.896722');
CREATE TABLE `web_credentials` (
  `contact_id` bigint(20) NOT NULL,
  `web_user_name` varchar(50) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `web_access_flag` tinyint(1) NOT NULL,
  `password_hash` varchar(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `created_date` datetime(6) NOT NULL,
  PRIMARY KEY (`contact_id`),
  UNIQUE KEY `web_credentials_web_user_name` (`web_user_name`),
  CONSTRAINT `web_credentials_ibfk_1` FOREIGN KEY (`contact_id`) REFERENCES `contacts` (`contact_id`)
);
INSERT INTO `web_credentials` VALUES (1,'ana.rivera',1,'$argon2id$v=19$m=19456,t=2,p=1$+ev13oJHVT6BaMhlP7BcNQ$g6Jf+DNcPc+RqzbZyv6Uk+Rn0GO1qGOVbKIGc2pGueA','2026-11-22 17:01:07.697503');
/*!40101 SET SQL_MODE=@OLD_SQL_MODE */;
/*!40014 SET FOREIGN_KEY_CHECKS=@OLD_FOREIGN_KEY_CHECKS */;
/*!40014 SET UNIQUE_CHECKS=@OLD_UNIQUE_CHECKS */;
/*!40101 SET CHARACTER_SET_CLIENT=@OLD_CHARACTER_SET_CLIENT */;
/*!40101 SET CHARACTER_SET_RESULTS=@OLD_CHARACTER_SET_RESULTS */;
/*!40101 SET COLLATION_CONNECTION=@OLD_COLLATION_CONNECTION */;
/*!40111 SET SQL_NOTES=@OLD_SQL_NOTES */;

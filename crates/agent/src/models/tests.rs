use testkit::FakeModel;

use super::*;

fn state() -> (ModelsState, watch::Receiver<Outlook>) {
    let models = ["first", "second"].map(|name| FakeModel::named("fake", name, []).model());
    let (sender, receiver) = watch::channel(Outlook::default());
    (ModelsState::new(models.to_vec(), sender), receiver)
}

#[tokio::test(start_paused = true)]
async fn what_a_model_counts_is_learnt_of_that_model_alone() {
    let (mut models, outlook) = state();
    let learnt = Calibration::default().learn(1_000, 3_000);

    models.answered(1, 1_000, Some(3_000));
    let of_the_first = *outlook.borrow();
    models.roster.failed(0, ErrorClass::Auth, Instant::now());
    models.choose();
    let of_the_second = *outlook.borrow();

    assert_eq!(of_the_first, Outlook { model: 0, calibration: Calibration::default() });
    assert_eq!(of_the_second, Outlook { model: 1, calibration: learnt });
}

#[tokio::test(start_paused = true)]
async fn a_model_that_tells_nothing_teaches_nothing() {
    let (mut models, outlook) = state();

    models.answered(0, 1_000, None);

    assert_eq!(*outlook.borrow(), Outlook::default());
}
